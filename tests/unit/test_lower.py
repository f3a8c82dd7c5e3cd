"""Lowering of scops: what it refuses, where it stands, what it keeps."""

from __future__ import annotations

import pytest
from traces import lower, mlir_text, parse
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from polyir.base.diagnostics import PolyirError
from polyir.codegen.ast_build import build_ast
from polyir.codegen.iterator_names import loop_names
from polyir.codegen.symbolic_tiles import expand_tiles
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.scop import Scop, scop_of
from polyir.tree.isl_border import from_text
from polyir.tree.operations import operations_of

IN_SCF_LOOP = """
func.func @f(%A: memref<?xf64>, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %s = %c0 to %n step %c1 {
    poly.scop (%s as "s", %n as "n") context "[s, n] -> { : }" {
      poly.stmt @S domain "[s, n] -> { S[i] : s <= i < n }" (%i) {
        affine.store %x, %A[%i] : memref<?xf64>
      }
      poly.stmt @T domain "[s, n] -> { T[i] : 0 <= i < n }" (%i) {
        affine.store %x, %A[%i + %s] : memref<?xf64>
      }
      poly.domain "[s, n] -> { S[i] : s <= i < n; T[i] : 0 <= i < n }" {
        poly.sequence {
          poly.filter "[s, n] -> { S[i] }" {
            poly.band "[s, n] -> [{ S[i] -> [(i)] }]" coincident [true]
          }
          poly.filter "[s, n] -> { T[i] }" {
            poly.band "[s, n] -> [{ T[i] -> [(i)] }]" coincident [true]
          }
        }
      }
    }
  }
  return
}
"""

ONE_STATEMENT = """
func.func @f(%A: memref<?xf64>, %x: f64, %n: index, %loop: index) {
  poly.scop (%n as "n", %loop as "loop0") context "[n, loop0] -> { : n > 0 }" {
    poly.stmt @S domain "[n, loop0] -> { S[i, j] : 0 <= i < n and loop0 <= j < n }" (%i, %j) {
      affine.store %x, %A[%i + %j] : memref<?xf64>
    }
    poly.domain "[n, loop0] -> { S[i, j] : 0 <= i < n and loop0 <= j < n }" {
      poly.band "[n, loop0] -> [{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" coincident [true, true]
    }
  }
  return
}
"""


def only_scop(text: str) -> Scop:
    """The scop of a module with one."""
    (op,) = (op for op in parse(text).walk() if isinstance(op, ScopOp))
    return scop_of(op)


def with_tree(scop: Scop, tree: str) -> Scop:
    """The scop with another schedule tree."""
    old = scop.op.tree
    scop.op.body.block.insert_op_before(operations_of(from_text(tree)), old)
    scop.op.body.block.erase_op(old)
    return scop_of(scop.op)


def test_parameter_that_is_no_affine_operand() -> None:
    """The iterator of `scf.for` becomes an operand of `scf` and `memref` operations only."""
    module = parse(IN_SCF_LOOP)
    lower(module)
    assert [type(op) for op in module.walk() if isinstance(op, scf.ForOp | affine.ForOp)] == [
        scf.ForOp,
        scf.ForOp,
        affine.ForOp,
    ]
    stores = [op for op in module.walk() if isinstance(op, affine.StoreOp | memref.StoreOp)]
    assert [type(op) for op in stores] == [memref.StoreOp, memref.StoreOp]


def test_parameter_with_the_name_of_an_iterator_of_the_ast() -> None:
    scop = only_scop(ONE_STATEMENT)
    assert not any(name == "loop0" for name in build_ast(scop).iterators)
    module = parse(ONE_STATEMENT)
    lower(module)
    assert "affine.for %j = %loop to %n" in mlir_text(module)


def test_locations_of_statements_are_kept() -> None:
    module = parse(ONE_STATEMENT)
    location = FileLineColLoc(StringAttr("in.mlir"), IntAttr(7), IntAttr(3))
    (statement,) = (op for op in module.walk() if isinstance(op, StmtOp))
    for op in statement.body.block.ops:
        op.location = location
    lower(module)
    (store,) = (op for op in module.walk() if isinstance(op, affine.StoreOp))
    assert store.location == location


def test_instances_of_no_statement() -> None:
    """An extension node adds instances that the scop has no body for."""
    scop = with_tree(
        only_scop(ONE_STATEMENT),
        '{ domain: "[n, loop0] -> { S[i, j] : 0 <= i < n and loop0 <= j < n }", child: {'
        ' extension: "[n, loop0] -> { [] -> Copy[] }", child: { sequence: ['
        ' { filter: "[n, loop0] -> { Copy[] }" }, { filter: "[n, loop0] -> { S[i, j] }",'
        ' child: { schedule: "[n, loop0] -> [{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" } }'
        " ] } } }",
    )
    module = scop.op.parent_op()
    assert module is not None
    with pytest.raises(
        PolyirError, match="the schedule tree executes Copy, which is not a statement"
    ):
        lower(module.parent_op())


@pytest.mark.parametrize(
    ("domain", "reason"),
    [("0 <= i and 0 <= j < n", "would never end"), ("i <= n and j = 0", "unbounded optimum")],
)
def test_infinitely_many_instances(domain: str, reason: str) -> None:
    text = ONE_STATEMENT.replace("0 <= i < n and loop0 <= j < n", domain)
    with pytest.raises(
        PolyirError, match=f"no loops can be generated for the schedule tree: .*{reason}"
    ):
        lower(parse(text))


def test_names_of_loops() -> None:
    scop = with_tree(
        only_scop(ONE_STATEMENT),
        '{ domain: "[n, loop0] -> { S[i, j] : 0 <= i < n and loop0 <= j < n }", child: {'
        ' schedule: "[n, loop0] -> [{ S[i, j] -> [(8*floor(i/8))] }, '
        '{ S[i, j] -> [(floor((i + j)/2))] }, { S[i, j] -> [(i)] }, { S[i, j] -> [(2j)] }]" } }',
    )
    names = loop_names(scop, expand_tiles(scop.schedule, scop.context))
    assert [names.name_for(["S"], depth, []) for depth in range(4)] == ["ti", "t1", "i", "t3"]
    assert names.name_for(["S"], 2, ["i", "i2"]) == "i3"
    assert names.name_for(["S", "T"], 2, []) == "t2"
