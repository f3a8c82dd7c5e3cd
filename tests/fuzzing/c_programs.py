"""Random C functions as people write them, with calls: what `make fuzz-c` sends through polyir-cc.

A function has one region: loops, which may be empty, whose bounds lie in memory (`*n`, `g->n`,
`ext[1]`), guards, temporaries in the bodies, all arithmetic types, pointers that may alias. Its
calls pass null pointers, and memory that ends where the region's accesses may end: a call is a
test where the original has no undefined behaviour, which only running it shows.

Numbers stay small: integers are stored modulo something, and floats are averages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

SIZE = 28
"""Elements in each dimension of the arrays: counters and parameters are at most 11."""

CALLS = 6

PARAMETERS = (
    "double *a, double *b, float *restrict f, int *q, unsigned *u, long *l, signed char *c, "
    "_Bool *z, double (*R)[28], const int *n, int *ext, long *len, struct G *g, int k, int m"
)

GLOBALS = """struct In { int n; };
struct G { int n; short h; long size; unsigned w; double scale; int ext[2]; struct In in;
  double *v; };
static double D[28][28], V[28], total; static float F[28][28], most;
static int I[28][28], K[28], count; static unsigned U[28][28];
static long L[28][28], sum; static signed char C[28][28]; static _Bool B[28][28];
static const int STEPS[4] = {1, -1, 0, 2}, MOVES[3][2] = {{1, 0}, {-1, 2}, {0, -2}};
static const double WEIGHTS[] = {0.5, 0.25, [3] = -0.125};
struct P { double x, y; int n; };
static inline struct P mixed(struct P a, double s) {
  if (a.n > 9) return (struct P){a.y * 0.5, a.x, a.n - 7};
  struct P r = {.y = a.y * 0.5 + s * 0.25, .n = a.n + 1};
  r.x = a.x;
  return r;
}
"""

OWN = {
    "tally": ("int tally = 0;", "sum += tally;"),
    "weight": ("long weight = 3;", "sum += weight;"),
    "most_seen": ("int most_seen = -9;", "sum += most_seen;"),
    "peak": ("double peak = 0.5;", "total += peak;"),
    "around": ("int around[3] = {-1, 0, 1};", ""),
    "scratch": ("double scratch[28];", ""),
    "spare": ("double *spare = malloc(28 * sizeof *spare);", "free(spare);"),
    "third": ("double of_third[28] = {1}, *third = of_third;", "total += third[0];"),
    "held": ("double *held = a;", "if (held && b) total += held[0] - 2 * b[0];"),
}
"""Variables of a function that some statements use: what declares them, and what uses them last."""

BOUNDS = (
    *("k", "k", "m", "m", "*n", "*n", "g->n", "g->n", "ext[0]", "ext[1]", "g->ext[1]", "g->in.n"),
    *("*len", "g->size", "g->h", "k - 1", "g->n - 2", "9", "*n + 1"),
)
LIMITS = (*BOUNDS[:12], "3", "k + 2", "0")
"""What guards compare counters with."""

COUNTERS = ("i", "j", "o", "p")
MOST_LOOPS = 3


@dataclass(frozen=True)
class Node:
    """A statement; one with a body is a loop, a condition or a block."""

    text: str
    body: tuple[Node, ...] | None = None

    def lines(self, indent: str) -> Iterator[str]:
        if self.body is None:
            yield from (f"{indent}{line}" for line in self.text.split("\n"))
            return
        yield f"{indent}{self.text} {{".replace("  {", " {")
        for node in self.body:
            yield from node.lines(indent + "  ")
        yield f"{indent}}}"


@dataclass(frozen=True)
class Call:
    """The statements of a call, with those that make its arguments."""

    name: str
    text: str


@dataclass(frozen=True)
class Function:
    """A function with one region, and its calls."""

    number: int
    body: tuple[Node, ...]
    calls: tuple[Call, ...]

    def text(self) -> str:
        body = [line for node in self.body for line in node.lines("  ")]
        words = {word for line in body for word in re.findall(r"\w+", line)}
        own = [lines for name, lines in OWN.items() if name in words]
        lines = [
            f"static int f{self.number}({PARAMETERS}) {{",
            "  int i = 1, j = 2, o = 3;",
            *(f"  {declared}" for declared, _ in own),
            "#pragma scop",
            *body,
            "#pragma endscop",
            *(f"  {last}" for _, last in own),
            "  return i + 100 * j + 10000 * o;",
            "}",
        ]
        return "\n".join(lines)


def random_function(number: int) -> Function:
    """The function of this number, which is always the same."""
    random = Random(number)
    kinds = ("control", "values", "parameters", "tables")
    others = (Random(f"{kind} {number}") for kind in kinds)
    writer = _Writer(random, *others)
    body = tuple(
        node for _ in range(random.choice((1, 1, 2))) for node in writer.outermost(random.random())
    )
    calls = tuple(Call(f"{number}_{n}", _call(random, number)) for n in range(CALLS))
    steps = Random(f"steps {number}")
    if steps.random() < 0.12:
        body = (_repeated(body, steps),)
    return Function(number, body, calls)


EXCHANGES = (
    *("double *h = a; a = b; b = h;", "{ double *h = b; b = a; { a = h; } }"),
    *("held = a; a = b; b = held;", "double *h = a; a = b; b = third; third = h;"),
    *("double *h = g->v; g->v = b; b = h;", "double *h = g->v; g->v = a; a = third; third = h;"),
    *("int h = k; k = m; m = h;", "k = 9 - k;", "double *h = a; a = b; b = h; m = 7 - m;"),
)


def _repeated(body: tuple[Node, ...], random: Random) -> Node:
    """A loop over time, whose iterations exchange pointers or integers."""
    bound = random.choice(("k", "m", "4", "g->n", "k - 2"))
    head = random.choice(
        (
            *(f"for (int t = 0; t < {bound}; t++)", f"for (long t = 1; t <= {bound}; t += 2)"),
            f"for (int t = {bound}; t > 0; t--)",
        )
    )
    if random.random() < 0.7:
        body = tuple(_sweep(random) for _ in range(random.choice((1, 1, 2))))
    place = random.choice((0, len(body), len(body)))
    return Node(head, (*body[:place], Node(random.choice(EXCHANGES)), *body[place:]))


def _sweep(random: Random) -> Node:
    """A loop that computes elements from those of another array, and their neighbours."""
    rows = ("a", "b", "a", "b", "third", "g->v", "V", "D[k]", "D[m]", "D[9 - k]")
    to, one, two = (random.choice(rows) for _ in range(3))
    sum = f"{one}[i - 1] * 0.5 + {one}[i] * 0.25 + {two}[i + 1] * 0.125 + t"
    condition = random.choice(("", "", f"if ({to}[i] < {one}[i + 1]) "))
    end = random.choice(("9", "g->in.n", "ext[1]"))
    return Node(f"for (int i = 1; i < {end}; i++)", (Node(f"{condition}{to}[i] = {sum};"),))


def smaller(function: Function) -> Iterator[Function]:
    """The function without some of its calls or nodes, or with a body in place of its loop."""
    if len(function.calls) > 1:
        for call in function.calls:
            yield replace(function, calls=(call,))
    for body in _smaller_bodies(function.body):
        yield replace(function, body=body)


def _smaller_bodies(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    for place in range(len(nodes)):
        yield nodes[:place] + nodes[place + 1 :]
    for place, node in enumerate(nodes):
        if node.body is not None:
            before, after = nodes[:place], nodes[place + 1 :]
            yield (*before, *node.body, *after)
            for body in _smaller_bodies(node.body):
                yield (*before, replace(node, body=body), *after)


@dataclass(frozen=True)
class _Scope:
    """What statements at a place may name: counters, and temporaries that have a value."""

    counters: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    integers: tuple[str, ...] = ()
    conditions: int = 0
    names: tuple[str, ...] = ()
    """All temporaries that are declared around the place."""

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{len(self.names)}"

    def with_temporary(self, name: str, is_float: bool) -> _Scope:
        known = replace(self, names=(*self.names, name))
        if is_float:
            return replace(known, floats=(*self.floats, name))
        return replace(known, integers=(*self.integers, name))


class _Writer:
    """Draws the statements of one region."""

    def __init__(
        self, random: Random, more: Random, values: Random, parameters: Random, tables: Random
    ) -> None:
        self.random = random
        self.more = more
        self.values = values
        self.parameters = parameters
        self.tables = tables

    def outermost(self, choice: float) -> list[Node]:
        """A loop, which may stand below a condition."""
        scope = _Scope()
        loop = self.loop(scope)
        if choice < 0.25:
            return [Node(f"if ({self.random.choice(('k', 'm', '*n'))} > 3)", (loop,))]
        return [loop]

    def body(self, scope: _Scope) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            more, scope = self.statement(scope)
            nodes += more
        others = (*self.control(scope), *self.own(scope), *self.nearby(scope))
        return (*nodes, *others, *self.assignment(scope))

    def control(self, scope: _Scope) -> list[Node]:
        """Loops that data ends, and `switch`, in some bodies.

        Their numbers are others: without them, functions are the same.
        """
        outer, self.random = self.random, self.more
        makers = (self.iteration, self.iteration, self.switch)
        found = self.random.choice(makers)(scope) if self.random.random() < 0.15 else []
        self.random = outer
        return found

    def own(self, scope: _Scope) -> list[Node]:
        """Structures, sums and arrays that belong to the function, in some bodies, as `control`."""
        outer, self.random = self.random, self.values
        makers = (self.record, self.record, self.sums, self.sums, self.scratch)
        found = self.random.choice(makers)(scope) if self.random.random() < 0.25 else []
        self.random = outer
        return found

    def nearby(self, scope: _Scope) -> list[Node]:
        """Neighbours, borders, and arrays as a whole, in some bodies, as `control`."""
        outer, self.random = self.random, self.tables
        makers = (self.neighbours, self.neighbours, self.border, self.whole_array, self.peak)
        found: list[Node] = []
        if scope.counters and self.random.random() < 0.2:
            found = self.random.choice(makers)(scope)
        self.random = outer
        return found

    def statement(self, scope: _Scope) -> tuple[list[Node], _Scope]:
        """Statements, and what those that follow may name."""
        makers: list[Callable[[_Scope], list[Node]]] = [self.assignment] * 5
        makers += [self.accumulation, self.windowed, self.reduction]
        if len(scope.counters) < MOST_LOOPS:
            makers += [lambda scope: [self.loop(scope)]] * 4
        if scope.conditions < 2:
            makers += [self.guarded]
        choice = self.random.random()
        if choice < 0.15:
            return self.temporary(scope)
        if choice < 0.18 and scope.counters:
            return [Node(f"if ({self.condition(scope)}) continue;")], scope
        if choice < 0.23 and scope.floats:
            return self.set_again(scope), scope
        return self.random.choice(makers)(scope), scope

    def loop(self, scope: _Scope) -> Node:
        name = COUNTERS[len(scope.counters)]
        inner = replace(scope, counters=(*scope.counters, name))
        return Node(self.head(name, scope), self.body(inner))

    def head(self, name: str, scope: _Scope) -> str:
        bound = self.random.choice(BOUNDS)
        start = self.random.choice(("0", "0", "0", "0", "1", "k", *scope.counters))
        kind = self.random.choice(("int ", "int ", "int ", "", "long ", "unsigned "))
        step = self.random.choice((f"{name}++", f"{name}++", f"{name}++", f"{name} += 2"))
        form = self.random.random()
        if self.parameters.random() < 0.05:
            step = f"{name} += {self.parameters.choice(('k * k + 1', '(m > 1) + 1', 'g->w + 1'))}"
        if kind == "unsigned ":
            # A negative bound would be a large one.
            return f"for (unsigned {name} = 0; {name} < g->w; {step})"
        if form < 0.1:
            return f"for ({kind}{name} = {bound} - 1; {name} >= {start}; {name}--)"
        if form < 0.2:
            other = self.random.choice(("k", "m", "10", "*n"))
            return f"for ({kind}{name} = {start}; {name} < {bound} && {name} < {other}; {step})"
        return f"for ({kind}{name} = {start}; {name} < {bound}; {step})"

    # Statements

    def assignment(self, scope: _Scope) -> list[Node]:
        return [Node(self.random.choice(self.stores(scope)))]

    def stores(self, scope: _Scope) -> list[str]:
        """Assignments to an element of each type."""
        one, two = self.subscript(scope), self.subscript(scope)
        real, whole = self.real(scope), self.whole(scope)
        double = self.random.choice(
            (f"D[{one}][{two}]", f"a[{one}]", f"b[{one}]", f"V[{one}]", f"g->v[{one}]")
        )
        double = self.random.choice((double, double, double, f"R[{one}][{two}]"))
        integer = self.random.choice((f"I[{one}][{two}]", f"q[{one}]", f"K[{one}]"))
        unsigned = self.random.choice((f"u[{one}]", f"U[{one}][{two}]"))
        return [
            f"{double} = {real};",
            f"{double} = {real};",
            f"{double} += 0.01 * ({real});",
            f"{self.random.choice((f'F[{one}][{two}]', f'f[{one}]'))} = {real};",
            f"{integer} = {whole} % 1000;",
            f"{integer} = ({integer} + {whole}) % 1000;",
            f"{unsigned} = {unsigned} * 2654435761u + {whole};",
            f"{self.random.choice((f'l[{one}]', f'L[{one}][{two}]'))} = 7L * ({whole}) % 100003;",
            f"{self.random.choice((f'c[{one}]', f'C[{one}][{two}]'))} = ({whole}) % 100;",
            f"{self.random.choice((f'z[{one}]', f'B[{one}][{two}]'))} = {self.condition(scope)};",
        ]

    def reduction(self, scope: _Scope) -> list[Node]:
        """An accumulation in a variable of the file, which nothing else reads."""
        real, whole = self.real(scope), self.whole(scope)
        forms = (
            f"total += {real};",
            f"count += {self.condition(scope)};",
            f"sum += {whole};",
            f"most = {self.element(scope, 'float')} > most ? {self.real(scope)} : most;",
        )
        return [Node(self.random.choice(forms))]

    def guarded(self, scope: _Scope) -> list[Node]:
        inner = replace(scope, conditions=scope.conditions + 1)
        nodes = [Node(f"if ({self.condition(scope)})", self.body(inner))]
        if self.random.random() < 0.3:
            nodes.append(Node("else", self.body(inner)))
        return nodes

    def temporary(self, scope: _Scope) -> tuple[list[Node], _Scope]:
        """A scalar that is declared here, with its value or before it."""
        is_float = self.random.random() < 0.6
        name = scope.fresh("t")
        kind = self.random.choice(("double", "double", "float") if is_float else ("int", "long"))
        value = self.real(scope) if is_float else f"{self.whole(scope)} % 1000"
        split = self.random.random() < 0.3
        # One node: it has a value, however much is taken away.
        text = f"{kind} {name};\n{name} = {value};" if split else f"{kind} {name} = {value};"
        return [Node(text)], scope.with_temporary(name, is_float)

    def set_again(self, scope: _Scope) -> list[Node]:
        """Temporaries get other values, mostly under a condition."""
        one, two, three = (self.random.choice(scope.floats) for _ in range(3))
        exchange = f"if ({one} > {two}) {{ {three} = {one}; {one} = {two}; {two} = {three}; }}"
        forms = (
            f"{one} = {self.real(scope)};",
            f"if ({self.condition(scope)}) {one} = {self.real(scope)};",
            *(exchange, exchange),
        )
        return [Node(self.random.choice(forms))]

    def accumulation(self, scope: _Scope) -> list[Node]:
        """A scalar that begins at 0, a loop that adds to it, and what is done with it."""
        if len(scope.counters) > MOST_LOOPS - 1:
            return self.assignment(scope)
        name = scope.fresh("s")
        kind = self.random.choice(("double", "float"))
        known = replace(scope, names=(*scope.names, name))
        counter = COUNTERS[len(scope.counters)]
        inner = replace(known, counters=(*scope.counters, counter))
        loop = Node(self.head(counter, scope), (Node(f"{name} += 0.01 * ({self.real(inner)});"),))
        store = f"D[{self.subscript(scope)}][{self.subscript(scope)}] = {name};"
        return [Node("", (Node(f"{kind} {name} = 0;"), loop, Node(store)))]

    def iteration(self, scope: _Scope) -> list[Node]:
        """A loop that data ends, and what is done with what it computes."""
        steps, result = scope.fresh("w"), f"{scope.fresh('s')}r"
        known = replace(
            scope,
            floats=(*scope.floats, result),
            integers=(*scope.integers, steps),
            names=(*scope.names, steps, result),
        )
        step = Node(f"{result} = {result} * 0.5 + 0.01 * ({self.real(known)});")
        test = f"{result} < {self.random.choice(('1', '2.5', '9'))}"
        end = Node(f"if ({self.random.choice((test, self.comparison(known)))}) break;")
        skip = Node(f"if ({self.comparison(known)}) continue;")
        body = [step, *(each for each in (end, skip) if self.random.random() < 0.4)]
        self.random.shuffle(body)
        other = f" {self.random.choice(('&&', '||'))} {self.comparison(known)}"
        down = Node(f"{steps}--;")
        loop = self.random.choice(
            (
                Node(f"while (--{steps} > 0)", tuple(body)),
                Node(f"while ({steps}-- > 0 && {test})", tuple(body)),
                Node(f"while ({steps} > 0 && {test})", (down, *body)),
                Node(f"while ({steps} > 0 && ({steps} > 15{other}))", (down, *body)),
                Node(f"for (int r = 0; r < {steps}; r++)", (*body, end)),
                Node(f"for (; {steps} > 0; {steps} -= 2)", tuple(body)),
                Node("do", (down, Node(f"if ({steps} <= 0) break;"), *body)),
            )
        )
        first = Node(
            f"int {steps} = {self.whole(scope)} % 20;\ndouble {result} = {self.real(scope)};"
        )
        one, two = self.subscript(scope), self.subscript(scope)
        tail = [Node(f"while ({test});")] if loop.text == "do" else []
        stores = (f"D[{one}][{two}] = {result} + {steps};", f"I[{one}][{two}] = {steps} % 1000;")
        return [Node("", (first, loop, *tail, Node(self.random.choice(stores))))]

    def switch(self, scope: _Scope) -> list[Node]:
        """A `switch` with cases that end with `break`, or go on with the next one."""
        labels = ["case 0:", "case 1:\ncase -2:", "case 3:", "default:"]
        self.random.shuffle(labels)
        nodes: list[Node] = []
        for label in labels:
            store = self.random.choice(self.stores(scope))
            early = f"if ({self.condition(scope)}) break;\n" if self.random.random() < 0.3 else ""
            end = "\nbreak;" if self.random.random() < 0.7 else ""
            nodes.append(Node(f"{label}\n{early}{store}{end}"))
        return [Node(f"switch ({self.whole(scope)} % 4)", tuple(nodes))]

    def windowed(self, scope: _Scope) -> list[Node]:
        """An array that is filled here, and read after that."""
        if not scope.counters:
            return self.assignment(scope)
        name = scope.fresh("w")
        kind, value = self.random.choice(
            (("double", self.real(scope)), ("float", self.real(scope)), ("int", self.whole(scope)))
        )
        extent = self.random.choice(("3", "3", "3", "28", "28", "28", "28", "k", "*n"))
        counter = COUNTERS[len(scope.counters)]
        head = f"for (int {counter} = 0; {counter} < {extent}; {counter}++)"
        filled = Node(f"{kind} {name}[{extent}];\n{head} {name}[{counter}] = {value} + {counter};")
        one, two = self.subscript(scope), self.subscript(scope)
        place = self.random.choice((counter, counter, f"{extent} - 1 - {counter}"))
        used = Node(head, (Node(f"D[{one}][{counter}] = {name}[{place}] * 0.5 + V[{two}];"),))
        return [Node("", (filled, used))]

    def record(self, scope: _Scope) -> list[Node]:
        """Values of a structure type, and what is done with their members."""
        name, other = scope.fresh("r"), f"{scope.fresh('r')}b"
        whole, real = self.whole(scope), self.real(scope)
        forms = (
            f"{name} = mixed({name}, {self.real(scope)});",
            f"{name} = ({self.condition(scope)}) ? {name} : {other};",
            f"{other} = (struct P){{{other}.y, {name}.x * 0.5, {name}.n}};",
            f"if ({self.condition(scope)}) {name} = {other};",
            f"{name}.x = {name}.x * 0.5 + {other}.y * 0.25;",
            f"{name} = {other} = mixed({other}, {name}.x);",
        )
        first = Node(
            f"struct P {name} = {{{real}, {self.real(scope)}, {whole} % 100}};\n"
            f"struct P {other} = {self.random.choice(('{0}', name, f'mixed({name}, 2)'))};"
        )
        steps = [Node(self.random.choice(forms)) for _ in range(self.random.choice((1, 2, 3)))]
        one, two = self.subscript(scope), self.subscript(scope)
        last = Node(f"D[{one}][{two}] = {name}.x + {other}.y * 0.5 + {name}.n;")
        return [Node("", (first, *steps, last))]

    def neighbours(self, scope: _Scope) -> list[Node]:
        """A sum of the elements that a table leads to."""
        name, place, counter = scope.fresh("e"), f"{scope.counters[-1]} + 3", "d"
        table = self.random.choice(("STEPS[d]", "STEPS[3 - d]", "MOVES[d % 3][1]", "around[d % 3]"))
        factor = self.random.choice(("1", "WEIGHTS[d]", "0.5", "STEPS[d]"))
        skip = self.random.choice(("", "", "if (STEPS[d] == 0) continue;\n", "if (d > k) break;\n"))
        read = self.random.choice((f"V[{place} + {table}]", f"D[{place} + {table}][{place}]"))
        kind = self.random.choice(("int", "int", "long", "unsigned"))
        first = Node(f"double {name} = {self.real(scope)};")
        body = (Node(f"{skip}{name} += 0.1 * {read} * {factor};"),)
        loop = Node(f"for ({kind} {counter} = 0; {counter} < 4; {counter}++)", body)
        one, two = self.subscript(scope), self.subscript(scope)
        return [Node("", (first, loop, Node(f"D[{one}][{two}] = {name} * 0.5;")))]

    def border(self, scope: _Scope) -> list[Node]:
        """Subscripts that stay within an array, or go round."""
        low, high = f"{scope.fresh('l')}w", f"{scope.fresh('l')}h"
        one, two = (self.random.choice(scope.counters) for _ in range(2))
        limit = self.random.choice(("9", "12", "k + 12"))
        forms = (
            f"if ({low} < 0) {low} += {limit};\nif ({high} >= {limit}) {high} -= {limit};",
            f"if ({low} < 0) {low} = 0;\nelse if ({low} > {limit}) {low} = {limit};\n"
            f"if ({high} > 8) {high}--;",
            f"{low} = {low} < 0 ? 0 : {low};\n{high} = {high} > {limit} ? {limit} : {high};",
            f"if ({low} < 0 || {low} > 20) {low} = 1;\n{high} = ({high} + 1) % 28;",
        )
        first = Node(f"int {low} = {one} - 2, {high} = {two} + 2;\n{self.random.choice(forms)}")
        read = self.random.choice((f"V[{low}] + V[{high}]", f"D[{low}][{one}] * D[{two}][{high}]"))
        store = f"D[{self.subscript(scope)}][{self.subscript(scope)}] = 0.25 * ({read});"
        return [Node("", (first, Node(store)))]

    def whole_array(self, scope: _Scope) -> list[Node]:
        """Initialisers, and calls of `memset` and `memcpy`."""
        name, one = scope.fresh("y"), scope.counters[-1]
        real = self.real(scope)
        forms = (
            (f"double {name}[3] = {{{real}, 2, {one}}};", f"{name}[{one} % 3]"),
            (f"double {name}[28] = {{0}};\n{name}[{one}] += {real};", f"{name}[{one} / 2]"),
            (f"double {name}[28];\nmemset({name}, 0, sizeof {name});", f"{name}[{one}]"),
            (f"float {name}[5];\nmemcpy({name}, &F[2][{one}], 5 * sizeof(float));", f"{name}[3]"),
            ("memcpy(V, D[3] + 1, sizeof(double) * 9);", f"V[{one}]"),
            ("memset(K + 2, -1, g->w * sizeof(int));", f"K[{one}]"),
            ("memcpy(I[1], I[2], sizeof I[1]);", f"I[{one}][{one}]"),
            (f"memset(C[{one}], k, sizeof C[0]);", f"C[{one}][{one}]"),
        )
        first, read = self.random.choice(forms)
        store = f"D[{self.subscript(scope)}][{self.subscript(scope)}] = 0.25 * {read};"
        return [Node("", (Node(first), Node(store)))]

    def peak(self, scope: _Scope) -> list[Node]:
        """The largest of some numbers that are not negative."""
        real = self.real(scope)
        forms = (
            f"if (fabs({real}) > peak) peak = fabs({real});",
            f"peak = fmax(peak, fabs({real}));",
            f"peak = ({real}) * ({real}) > peak ? ({real}) * ({real}) : peak;",
        )
        return [Node(self.random.choice(forms))]

    def sums(self, scope: _Scope) -> list[Node]:
        """What is added to integers, mostly under a condition."""
        whole, condition = self.whole(scope), self.condition(scope)
        forms = (
            f"if ({condition}) tally++;",
            f"if ({condition}) tally -= {whole};",
            f"if ({condition}) {{ tally += {whole}; weight++; }}",
            f"if ({condition}) weight += {whole}; else tally--;",
            f"if ({whole} > most_seen) most_seen = {whole};",
            f"weight += {whole};",
        )
        return [Node(self.random.choice(forms))]

    def scratch(self, scope: _Scope) -> list[Node]:
        """An array of the function, or of this block, that is filled and then read."""
        if not scope.counters:
            return []
        name = self.random.choice(("scratch", "spare", scope.fresh("h")))
        counter = COUNTERS[len(scope.counters)]
        extent = self.random.choice(("28", "28", "k", "*n"))
        head = f"for (int {counter} = 0; {counter} < {extent}; {counter}++)"
        filled = Node(head, (Node(f"{name}[{counter}] = {self.real(scope)} + {counter};"),))
        one, two = self.subscript(scope), self.subscript(scope)
        used = Node(head, (Node(f"D[{one}][{counter}] = {name}[{counter}] * 0.5 + V[{two}];"),))
        if name in OWN:
            return [filled, used]
        first = Node(f"double *{name} = malloc((28 + k * (k > 0)) * sizeof *{name});")
        return [Node("", (first, filled, used, Node(f"free({name});")))]

    # Expressions

    def subscript(self, scope: _Scope) -> str:
        """A number that is mostly from 0 to 27."""
        if not scope.counters:
            return self.random.choice(("0", "2", "5"))
        one, two = (self.random.choice(scope.counters) for _ in range(2))
        forms = (
            *(one, one, one, f"{one} + {self.random.randint(1, 3)}", f"{one} + {two}"),
            *(f"2 * {one} + 1", f"{one} - {two} + 14", f"k - {one} + 14", f"{one} + 2"),
        )
        if self.random.random() < 0.01:
            return self.random.choice((f"(K[{one}] & 15)", "ext[0] + 2", f"m - 1 - {one}"))
        return self.random.choice(forms)

    def element(self, scope: _Scope, kind: str) -> str:
        one, two = self.subscript(scope), self.subscript(scope)
        forms = {
            "double": (
                *(f"D[{one}][{two}]", f"a[{one}]", f"b[{one}]", f"g->v[{one}]", f"V[{one}]"),
                f"R[{one}][{two}]",
            ),
            "float": (f"F[{one}][{two}]", f"f[{one}]"),
            "int": (f"I[{one}][{two}]", f"q[{one}]", f"K[{one}]"),
            "unsigned": (f"U[{one}][{two}]", f"u[{one}]"),
            "long": (f"L[{one}][{two}]", f"l[{one}]"),
            "char": (f"C[{one}][{two}]", f"c[{one}]"),
            "bool": (f"B[{one}][{two}]", f"z[{one}]"),
        }
        return self.random.choice(forms[kind])

    def float_operand(self, scope: _Scope) -> str:
        if scope.floats and self.random.random() < 0.4:
            return self.random.choice(scope.floats)
        return self.element(scope, self.random.choice(("double", "double", "double", "float")))

    def whole_operand(self, scope: _Scope) -> str:
        """An operand of type `int` or `long`, of at most 1000."""
        if scope.integers and self.random.random() < 0.4:
            return self.random.choice(scope.integers)
        real = self.float_operand(scope)
        forms = (
            *(self.element(scope, kind) for kind in ("int", "int", "char", "bool")),
            *(self.random.choice((*scope.counters, "k")) for _ in range(2)),
            f"(int)({self.element(scope, 'unsigned')} % 100)",
            f"{self.element(scope, 'long')} % 100",
            f"(int)({real} > 100 ? 100 : {real} < -100 ? -100 : {real})",
            *self.random.sample(("*n", "g->n", "ext[0]", "ext[1]", "g->in.n", "*len", "g->h"), 2),
        )
        return self.random.choice(forms)

    def whole(self, scope: _Scope) -> str:
        """An integer expression."""
        one, two = self.whole_operand(scope), self.whole_operand(scope)
        forms = (
            f"({one} + {two})",
            f"({one} - 3 * {two})",
            f"(({one}) * ({two}) % 50 + 1)",
            f"({one} > {two} ? {two} : {one})",
            f"({one} ^ ({two} & 7))",
            f"(({one}) / 3 + (int)sizeof(double))",
        )
        return self.random.choice(forms)

    def real(self, scope: _Scope) -> str:
        """A floating-point expression, an average of what it reads."""
        one, two, number = (
            self.float_operand(scope),
            self.float_operand(scope),
            self.whole_operand(scope),
        )
        forms = (
            f"{one} * 0.5 + {two} * 0.25 + {number}",
            f"{one} * 0.5f - {number} * 0.125",
            f"({one} > {two} ? {one} : {two}) * 0.5 + 1",
            f"({one} + {two}) / 3 + {self.random.choice((*scope.counters, '1'))}",
            f"g->scale * {one} * 0.25 - {two} * 0.5",
            f"fabs({one}) * 0.25 + ({self.condition(scope)})",
        )
        return self.random.choice(forms)

    def comparison(self, scope: _Scope) -> str:
        """A condition on what is not in memory that may be null."""
        name, other = (self.random.choice((*scope.counters, "k", "m", "3")) for _ in range(2))
        return f"{name} {self.random.choice(('<', '>=', '!='))} {other}"

    def condition(self, scope: _Scope) -> str:
        name = self.random.choice((*scope.counters, "k"))
        other = self.random.choice((*scope.counters, *LIMITS))
        forms = (
            f"{name} < {other}",
            f"{name} >= {self.random.choice(LIMITS)}",
            f"{name} == {other} || {name} > 4",
            f"m > 2 && {name} != {other}",
            f"{self.float_operand(scope)} > {self.random.choice(('1', '2.5', name))}",
            f"!({name} >= 2 && {self.element(scope, 'int')} < 3)",
            f"({name} + 3) % 3 == 1",
            self.element(scope, "bool"),
        )
        return self.random.choice(forms)


def _call(random: Random, number: int) -> str:
    """The statements of one call, with all its memory."""
    k, m, *numbers = (random.choice((-2, 0, 1, 2, 5, 9, 11, 11)) for _ in range(10))
    n, first, second, size, width, inner, short, last = numbers

    def made(kind: str, size: str) -> str:
        # Memory that ends where the last element is that a loop of a bound would access.
        exact = max(0, random.choice((k, m, *numbers)))
        return f"fresh({random.choice((SIZE, SIZE, SIZE, exact))}, {size}, {kind})"

    def or_null(text: str) -> str:
        return "0" if random.random() < 0.25 else text

    other = random.choice(("a", "a + 1", "v", "V", "D[3]", made("DOUBLE", "8")))
    bound = or_null(random.choice(("fresh(1, 4, ZERO)", "fresh(1, 4, ZERO)", "&K[3]")))
    whole = random.choice((made("INT", "4"), "K", "ext", "I[2]"))
    unsigned = random.choice((made("INT", "4"), "(unsigned *)q"))
    rows = random.choice(("D", made("DOUBLE", "28 * 8")))
    held = random.choice(("v", "v", "a", "V", "0"))
    lines = (
        f"double *a = {made('DOUBLE', '8')}, *v = {made('DOUBLE', '8')}, *b = {other};",
        f"int *ext = {or_null('fresh(2, 4, ZERO)')}, *n = {bound}, *q = {whole};",
        f"long *len = {or_null('fresh(1, 8, ZERO)')};",
        f"struct G *g = {or_null('fresh(1, sizeof *g, OTHER)')};",
        f"if (ext) ext[0] = {first}, ext[1] = {second};",
        f"if (n) *n = {n};",
        f"if (len) *len = {size};",
        f"if (g) *g = (struct G){{{last}, {short}, {size}, {max(0, width)}, 0.5, "
        f"{{{first}, {second}}}, {{{inner}}}, {held}}};",
        f"result = f{number}(a, b, {made('FLOAT', '4')}, q, {unsigned}, {made('LONG', '8')}, "
        f"{made('CHAR', '1')}, {made('BOOL', '1')}, {rows}, n, ext, len, g, {k}, {m});",
    )
    return "\n".join(f"  {line}" for line in lines)
