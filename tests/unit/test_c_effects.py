"""What functions of C are known to do to memory."""

from __future__ import annotations

import pytest
from pycparser.c_parser import CParser

from polyir.frontend.c.effects import Functions, Reads
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.scopes import Scopes

HEAD = """
struct pair { double first; double *rest; };
double table[10], *pointer;
volatile int ready;
struct pair shared;
double sin(double);
int unknown(int);
int even(int), odd(int);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
double head(const double *p) { return *p; }
"""

READS = {
    "double f(double x) { double y = x * x; y += sin(y); return y; }": Reads(),
    "int f(int n) { int t[4]; for (int i = 0; i < 4; i++) t[i] = n; return t[2]; }": Reads(),
    "int f(int n) { int s = 0; for (int i = n; i-- > 0;) s += i; return s; }": Reads(),
    "int f(int n) { int s = 0; for (int i = 0; i < n; i = 2 + i) s += i; return s; }": Reads(),
    "int f(int n) { do n++; while (0); return n; }": Reads(),
    "int f(int n) { while (n > 1) n /= 2; return n; }": Reads(),
    "int f(int n) { do n += table[n] > 1; while (n > 1); return n; }": Reads(frozenset({"table"})),
    "int f(int n) { struct pair p; p.first = n; return p.first; }": Reads(),
    "int f(int n) { static const int t[2] = {1, 2}; return t[n]; }": Reads(frozenset({"t"})),
    "double f(int i) { return table[i]; }": Reads(frozenset({"table"})),
    "double f(double *p, int i) { return p[i]; }": Reads(arguments=True),
    "double f(double *p) { double *q = p + 1; return head(q); }": Reads(arguments=True),
    "double f(double **p) { return p[1][2]; }": Reads(arguments=True, anything=True),
    "double f(void) { return *pointer; }": Reads(frozenset({"pointer"}), True, True),
    "double f(void) { return shared.rest[1]; }": Reads(frozenset({"shared"}), True, True),
    "double f(long a) { return *(double *)a; }": Reads(arguments=True, anything=True),
    "double f(struct pair p) { return p.rest[0]; }": Reads(arguments=True, anything=True),
}

EFFECTS = {
    "int f(int n) { table[n] = 1; return n; }": "a store through a pointer|not local",
    "int f(double *p) { *p = 1; return 1; }": "a store through a pointer",
    "int f(double p[]) { p[1] = 1; return 1; }": "a store through a pointer",
    "int f(double p[]) { double *q[1]; q[0] = p; q[0][1] = 1; return 1; }": "through a pointer",
    "int f(struct pair *p) { p->first++; return 1; }": "a store through a pointer",
    "int f(int n) { static int calls; return calls; }": "the static variable 'calls'",
    "int f(int n) { return ready; }": "the volatile variable 'ready'",
    "int f(volatile int *p) { return *p; }": "a volatile object",
    "int f(int n) { return unknown(n); }": "a call of 'unknown', which may have side effects",
    "int f(int (*g)(int)) { return g(1); }": "a call through a pointer",
    "int f(int n) { return even(n); }": "a call of 'even', which may have side effects",
    "int f(int n) { while (n > 1) table[--n] = 1; return n; }": "a store through a pointer|local",
    "int f(int n) { for (;;) if (n++ > 3) return n; }": "a loop without a condition",
    "int f(int n) { while (1) ; return n; }": "a loop without a condition",
    "int f(int n) { do n++; while (1); return n; }": "a loop without a condition",
    "int f(int n) { again: if (n > 1) { n /= 2; goto again; } return n; }": "goto",
}


def functions_of(text: str) -> Functions:
    scopes = Scopes()
    definitions = {}
    for item in CParser().parse(HEAD + text).ext:
        scopes.declare(item)
        if hasattr(item, "body"):
            definitions[item.decl.name] = item
    return Functions(scopes, definitions, {}, ())


@pytest.mark.parametrize("text", READS)
def test_reads(text: str) -> None:
    assert functions_of(text).reads("f") == READS[text]


@pytest.mark.parametrize("text", EFFECTS)
def test_effects(text: str) -> None:
    found = functions_of(text).reads("f")
    assert isinstance(found, NotModelledError)
    assert any(part in found.message for part in EFFECTS[text].split("|"))
    assert found.location is not None


def test_the_order_of_questions_does_not_matter() -> None:
    for first, second in (("even", "odd"), ("odd", "even")):
        functions = functions_of("int f(int n) { return even(n) + odd(n); }")
        assert isinstance(functions.reads(first), NotModelledError)
        assert isinstance(functions.reads(second), NotModelledError)
        assert isinstance(functions.reads("f"), NotModelledError)


def test_promises() -> None:
    functions = Functions(Scopes(), {}, {"f": "const", "g": "pure"}, ())
    assert functions.reads("f") == Reads()
    assert functions.reads("g") == Reads(arguments=True, anything=True)
