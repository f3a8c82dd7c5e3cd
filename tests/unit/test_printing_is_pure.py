"""Printing changes nothing in the IR, whatever the target."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation
from xdsl.parser import Parser

from polyir import api
from polyir.frontend.parse import parse_module
from polyir.target.c import COptions, c_text
from polyir.target.mlir import print_module

INPUTS = sorted((Path(__file__).parent.parent / "frontend_inputs").glob("*.mlir"))

PARALLEL = """
func.func @f(%n: index, %x: memref<?xf64>) -> f64 {
  %sum = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> f64 {
    %a = affine.load %x[%i] : memref<?xf64>
    affine.yield %a : f64
  }
  affine.parallel (%i, %j) = (0, 0) to (%n, min(%n, 8)) step (1, 2) {
    affine.if affine_set<(d0)[s0] : (s0 - d0 - 2 >= 0, -d0 + 7 == 0)>(%i)[%n] {
      affine.store %sum, %x[%i + %j] : memref<?xf64>
    }
  }
  return %sum : f64
}
"""
# The names of attributes are those that xDSL gives a meaning to in unregistered operations.
UNREGISTERED = '%0 = "a.b"() {x = 1 : i32, op_name = 2 : i32, y} : () -> i32'


class ReadOnly(dict[str, Attribute]):
    """The properties or the attributes of an operation that must not change."""

    def __setitem__(self, key: str, value: Attribute) -> None:
        raise AssertionError(f"{key} is set")

    def __delitem__(self, key: str) -> None:
        raise AssertionError(f"{key} is deleted")


def freeze(module: ModuleOp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every change of an operation or block of `module` fail, even if it is undone later."""
    frozen: dict[int, Operation | Block] = {id(op): op for op in module.walk()}
    for op in module.walk():
        op.attributes, op.properties = ReadOnly(op.attributes), ReadOnly(op.properties)
        frozen |= {id(block): block for region in op.regions for block in region.blocks}

    def set_attribute(self: Operation | Block, name: str, value: object) -> None:
        assert id(self) not in frozen, f"{name} of {self} is set"
        object.__setattr__(self, name, value)

    monkeypatch.setattr(Operation, "__setattr__", set_attribute)
    monkeypatch.setattr(Block, "__setattr__", set_attribute)


def unregistered() -> ModuleOp:
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    return Parser(context, UNREGISTERED).parse_module()


MODULES = {
    **{path.stem: lambda path=path: parse_module(path.read_text()) for path in INPUTS},
    "parallel": lambda: api.parse(PARALLEL),
    "openmp": lambda: api.run_pipeline(api.parse(PARALLEL), "convert-parallel-to-omp"),
    "unregistered": unregistered,
}


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@pytest.mark.parametrize("name", MODULES)
def test_mlir(name: str, generic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    module = MODULES[name]()
    freeze(module, monkeypatch)
    texts = []
    for _ in range(2):
        stream = io.StringIO()
        print_module(module, stream, generic)
        texts.append(stream.getvalue())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["parallel", "openmp", "control"])
def test_c(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = MODULES[name]()
    freeze(module, monkeypatch)
    texts = [c_text(module, COptions()) for _ in range(2)]
    assert texts[0] == texts[1]


def test_a_change_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = MODULES["parallel"]()
    freeze(module, monkeypatch)
    with pytest.raises(AssertionError):
        module.body.block.first_op.attributes["x"] = UnitAttr()
    with pytest.raises(AssertionError):
        module.body.block.add_op(ModuleOp([]))
