"""Whether code writes a variable before it reads it."""

from __future__ import annotations

import pytest
from xdsl.dialects import memref

import polyir
from polyir.irregular.private_cells import privatize_cells
from polyir.model.definite_writes import is_written_first

LOAD = "%v{} = affine.load %s[] : memref<f64>"
STORE = "affine.store %zero, %s[] : memref<f64>"
CONDITION = "affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i)"

CODE = {
    f"{STORE}\n{LOAD}": True,
    f"{LOAD}\n{STORE}": False,
    f"{CONDITION} {{ {STORE} }}\n{LOAD}": False,
    f"{CONDITION} {{ {STORE} }} else {{ {STORE} }}\n{LOAD}": True,
    f"{CONDITION} {{ {STORE}\n{LOAD} }}": True,
    f"{STORE}\n{CONDITION} {{ {LOAD}\n{STORE} }} else {{ }}\n{LOAD}": True,
    f"affine.for %j = 0 to 3 {{ {STORE} }}\n{LOAD}": True,
    f"affine.for %j = 3 to 3 {{ {STORE} }}\n{LOAD}": False,
    f"affine.for %j = 0 to %n {{ {STORE} }}\n{LOAD}": False,
    # In its second iteration, the loop reads what the first one has written.
    f"affine.for %j = 0 to 3 {{ {LOAD}\n{STORE} }}": False,
    f"{STORE}\naffine.for %j = 0 to %n {{ {LOAD}\n{STORE} }}": True,
    "func.call @g(%s) : (memref<f64>) -> ()": False,
    f"{STORE}\nfunc.call @g(%s) : (memref<f64>) -> ()": False,
}


def program(code: str) -> str:
    for number in range(code.count("{} =")):
        code = code.replace("{} =", f"{number} =", 1)
    return f"""
func.func private @g(memref<f64>)
func.func @f(%n: index) {{
  %zero = arith.constant 0.0 : f64
  %s = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {{
    {code}
  }}
  return
}}"""


@pytest.mark.parametrize("code", CODE)
def test_order_of_reads_and_writes(code: str) -> None:
    module = polyir.parse(program(code))
    (cell,) = (op for op in module.walk() if isinstance(op, memref.AllocaOp))
    loop = cell.next_op
    assert loop is not None
    assert is_written_first(loop.regions[0].block, cell.memref) == CODE[code]


def test_calls_may_write_what_is_loaded_after_them() -> None:
    call = "func.call @g(%s) : (memref<f64>) -> ()"
    module = polyir.parse(program(f"{STORE}\n{call}\n{LOAD}"))
    before = str(module)
    assert privatize_cells(module) == ()
    assert str(module) == before


def test_variables_that_become_values() -> None:
    used = "affine.store %v0, %t[] : memref<f64>"
    text = program(f"{STORE}\n{LOAD}\n{used}").replace(
        "@f(%n: index", "@f(%n: index, %t: memref<f64>"
    )
    module = polyir.parse(text)
    assert privatize_cells(module) == ()
    assert not any(isinstance(op, memref.AllocaOp) for op in module.walk())
    assert "affine.store %zero, %t" in str(module)
