"""The reader: locations, names, normal forms, the cache of the grammar, mixed dialects."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FileLineColLoc, MemRefType, ModuleOp, NoneAttr, f64
from xdsl.ir import Operation, SSAValue

from polyir.base.diagnostics import InputSyntaxError, SourceLocation, location_of
from polyir.dialects.affine_extra import MaxOp, load_affine_extra
from polyir.dialects.affine_semantics import is_valid_dimension, is_valid_symbol
from polyir.frontend import grammar
from polyir.frontend.parse import default_context, parse_module
from polyir.target.mlir import print_module

LOOP = """\
func.func @f(%n: index, %A: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %zero, %A[%i + symbol(%n) - 1] : memref<?xf64>
  }
  return
}
"""


def operations(module: ModuleOp, name: str) -> list[Operation]:
    return [operation for operation in module.walk() if operation.name == name]


def printed(module: ModuleOp) -> str:
    stream = io.StringIO()
    print_module(module, stream)
    return stream.getvalue()


def test_operations_have_the_place_of_their_name() -> None:
    module = parse_module(LOOP, "loop.mlir", line_offset=5)
    places = [location_of(operation) for operation in module.walk() if operation is not module]
    assert places == [
        SourceLocation("loop.mlir", line + 5, column)
        for line, column in [(1, 1), (2, 11), (3, 3), (4, 5), (3, 3), (6, 3)]
    ]
    (store,) = operations(module, "affine.store")
    assert isinstance(store.location, FileLineColLoc)


def test_explicit_locations_win() -> None:
    module = parse_module('#l = loc("a.c":7:8)\nfunc.func private @f() loc(#l)\n', "in.mlir")
    (function,) = operations(module, "func.func")
    assert location_of(function) == SourceLocation("a.c", 7, 8)


def test_names_are_kept_as_hints() -> None:
    module = parse_module("func.func @f(%n: index, %1: index) {\n  %x = arith.addi %n, %1 : index\n"
                          "  return\n}")  # fmt: skip
    (function,) = operations(module, "func.func")
    assert isinstance(function, func.FuncOp)
    assert [argument.name_hint for argument in function.args] == ["n", None]
    (addition,) = operations(module, "arith.addi")
    assert addition.results[0].name_hint == "x"


def test_subscripts_number_dimensions_and_symbols_by_first_use() -> None:
    (store,) = operations(parse_module(LOOP), "affine.store")
    assert isinstance(store, affine.StoreOp)
    assert str(store.map.data) == "(d0)[s0] -> (((d0 + s0) + -1))"
    assert [operand.name_hint for operand in store.indices] == ["i", "n"]


def test_symbols_are_printed_as_symbols_where_they_are_valid() -> None:
    text = printed(parse_module(LOOP))
    assert "affine.store %zero, %A[%i + symbol(%n) - 1] : memref<?xf64>" in text


def test_a_loop_variable_is_never_printed_as_a_symbol() -> None:
    # xDSL's parser makes symbols of all that stands in subscripts.
    module = parse_module(LOOP)
    (store,) = operations(module, "affine.store")
    (loop,) = operations(module, "affine.for")
    assert isinstance(store, affine.StoreOp)
    store.operands = [store.value, store.memref, loop.regions[0].block.args[0], store.indices[1]]
    store.map = affine.AffineMapAttr(
        affine.AffineMap(0, 2, (affine.AffineExpr.symbol(0) + affine.AffineExpr.symbol(1),))
    )
    assert "%A[%i + symbol(%n)]" in printed(module)


@pytest.mark.parametrize(
    ("text", "layout", "space"),
    [
        ("memref<4x4xf64, affine_map<(d0, d1) -> (d0, d1)>>", NoneAttr(), NoneAttr()),
        ("memref<4x4xf64, 0>", NoneAttr(), NoneAttr()),
    ],
)
def test_the_default_layout_and_space_are_left_out(
    text: str, layout: NoneAttr, space: NoneAttr
) -> None:
    (function,) = operations(parse_module(f"func.func private @f({text})"), "func.func")
    assert isinstance(function, func.FuncOp)
    assert function.function_type.inputs.data == (MemRefType(f64, [4, 4], layout, space),)


def test_a_dimension_of_zero_is_not_a_hexadecimal_number() -> None:
    module = parse_module("func.func private @f(memref<0xf32>, memref<2x0x?xi32>)")
    (function,) = operations(module, "func.func")
    assert isinstance(function, func.FuncOp)
    shapes = [memref_type.get_shape() for memref_type in function.function_type.inputs]  # type: ignore[attr-defined]
    assert shapes == [(0,), (2, 0, DYNAMIC_INDEX)]


@pytest.mark.parametrize(
    ("literal", "value"),
    [("1.0e-5", 1.0e-5), ("-2.5E+10", -2.5e10), ("3.", 3.0), ("0x4008000000000000", 3.0)],
)
def test_floating_point_literals(literal: str, value: float) -> None:
    module = parse_module(f"func.func @f() {{\n %x = arith.constant {literal} : f64\n return\n}}")
    (constant,) = operations(module, "arith.constant")
    assert isinstance(constant, arith.ConstantOp)
    assert constant.value.value.data == value  # type: ignore[union-attr]


def test_values_before_their_definition_in_an_earlier_block() -> None:
    text = """\
func.func @f(%p: i1, %n: index) -> index {
  "cf.br"()[^second] : () -> ()
^first:
  %y = arith.addi %x, %n : index
  return %y : index
^second:
  %x = arith.addi %n, %n : index
  "cf.br"()[^first] : () -> ()
}
"""
    first, second = operations(parse_module(text), "arith.addi")
    assert first.operands[0] is second.results[0]
    with pytest.raises(InputSyntaxError, match="use of the undefined value '%x'"):
        parse_module(text.replace("%x = arith.addi %n", "%z = arith.addi %n"))


def test_other_dialects_with_the_syntax_of_the_grammar() -> None:
    text = """\
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
func.func @f(%n: index, %A: memref<64xf32>) {
  affine.parallel (%i, %j) = (0, max(0, symbol(%n))) to (8, min(%n, 8)) step (1, 2) {
    affine.if #set(%i)[%n] {
      %v = affine.vector_load %A[%i * 8 + symbol(%n)] {polyir.note} : memref<64xf32>, vector<8xf32>
      %w = vector.fma %v, %v, %v : vector<8xf32>
      affine.vector_store %w, %A[%i * 8] : memref<64xf32>, vector<8xf32>
    } else {
    }
  }
  return
}
"""
    module = parse_module(text, "mixed.mlir")
    (fma,) = operations(module, "vector.fma")
    assert location_of(fma) == SourceLocation("mixed.mlir", 6, 12)
    (load,) = operations(module, "affine.vector_load")
    assert isinstance(load, affine.VectorLoadOp)
    assert str(load.map.data) == "(d0)[s0] -> (((d0 * 8) + s0))"
    assert load.attributes
    again = parse_module(printed(module))
    assert again.is_structurally_equivalent(module)


def test_the_missing_operations_are_added_to_any_context() -> None:
    context = default_context()
    load_affine_extra(context)
    assert context.get_op("affine.max") is MaxOp
    assert context.get_op("affine.min") is affine.MinOp
    load_affine_extra(context)
    bare = Context()
    load_affine_extra(bare)
    assert bare.get_op("affine.max") is MaxOp


def test_valid_dimensions_and_symbols() -> None:
    module = parse_module("""\
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %c = arith.constant 3 : index
    %s = memref.dim %A, %c : memref<?xf64>
    %a = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %b = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
    %k = affine.load %B[%i] : memref<?xindex>
  }
  return
}
""")
    values: dict[str | None, SSAValue] = {}
    for operation in module.walk():
        for value in (*operation.results, *(a for r in operation.regions for a in r.block.args)):
            values[value.name_hint] = value
    symbols = {name: is_valid_symbol(values[name]) for name in "nicsabkA"}
    dimensions = {name: is_valid_dimension(values[name]) for name in "nicsabkA"}
    assert symbols == {
        "n": True, "i": False, "c": True, "s": True, "a": False, "b": True, "k": False, "A": False,
    }  # fmt: skip
    assert dimensions == symbols | {"i": True, "a": True}


def test_allocation_sizes_and_global_values() -> None:
    module = parse_module("""\
memref.global "private" constant @t : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
func.func @f(%n: index) {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf64>
  return
}
""")
    (table,) = operations(module, "memref.global")
    assert isinstance(table, memref.GlobalOp)
    assert tuple(table.initial_value.get_values()) == (1, 2, 3, 4)  # type: ignore[union-attr]
    (allocation,) = operations(module, "memref.alloc")
    assert isinstance(allocation, memref.AllocOp)
    assert allocation.alignment is not None
    assert allocation.alignment.value.data == 64


def test_damaged_or_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    grammar._parser.cache_clear()
    parse_module("module {}")
    (path,) = (tmp_path / "polyir").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    for content in (b"", b"{}", b'{"data": {"parser": {"parser": 3}}, "memo": {}}'):
        path.write_bytes(content)
        grammar._parser.cache_clear()
        assert len(parse_module(LOOP).ops) == 1
        assert path.stat().st_size > 100_000
    grammar._parser.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    assert len(parse_module(LOOP).ops) == 1
    grammar._parser.cache_clear()


def test_locations_next_to_operations_of_other_dialects() -> None:
    """Where xDSL's parser drives, the operations of the grammar have their own lines too."""
    text = (
        "\n\nfunc.func @f(%v: vector<2xf32>, %n: index) {\n  %s = vector.step : vector<2xindex>\n"
    )
    text += "  %m = arith.addi %n, %n : index\n  return\n}\n"
    module = parse_module(text, "input.mlir", line_offset=10)
    lines = {
        op.name: op.location.line.data
        for op in module.walk()
        if isinstance(op.location, FileLineColLoc)
    }
    assert lines == {"func.func": 13, "vector.step": 14, "arith.addi": 15, "func.return": 16}
