"""Promotion in the IR: local arrays and copies, put in a scop."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from polyir.base.limits import limited
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import LocalArrayOp, ScopOp
from polyir.model.scop import scop_of
from polyir.proofs.copies import require_right_copies
from polyir.proofs.dependences import dependences_of
from polyir.transform.copy_statements import copy_operation
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.new_dependences import settle_claims
from polyir.transform.promote import Promotion
from polyir.tree.operations import set_schedule


def apply_promotion(op: ScopOp, promotion: Promotion, alignment: int = 0) -> None:
    """Declare the local arrays of a plan, add its copies and put its tree in the scop.

    The dependences of the scop are out of date after it.
    """
    arrays = scop_of(op).arrays
    memories: dict[str, SSAValue] = {}
    allocator = Allocator(op)
    first = op.body.block.first_op
    assert first is not None
    for array in promotion.arrays:
        source = arrays[array.array]
        assert isinstance(source.type, MemRefType)
        type = MemRefType(source.type.element_type, array.shape)
        aligned = array.alignment or alignment or None
        sizes = [allocator.extent(each) for each in array.extents]
        declared = LocalArrayOp(array.name, type, array.space, aligned, sizes)
        declared.location = op.location
        memories[array.name] = declared.memory
        op.body.block.insert_op_before(declared, first)
    for copy in promotion.copies:
        statement = copy_operation(op, copy, arrays[copy.local.array], memories[copy.local.name])
        op.body.block.insert_op_before(statement, op.tree)
    if promotion.schedule is not None:
        set_schedule(op, promotion.schedule)


def promote(
    op: ScopOp,
    promotion: Promotion,
    pass_name: str,
    alignment: int = 0,
    value_based: bool = True,
) -> None:
    """Rewrite a scop as a plan says, and give it new dependences, `value_based` ones if it can be.

    Raises `LegalityError` if its copies are not right.
    """
    assert op.dependences is not None
    order = op.dependences.data.order
    apply_promotion(op, promotion, alignment)
    changed = scop_of(op)
    limited("the check of copies", lambda: require_right_copies(changed))
    found = dependences_of(op, value_based, pass_name=pass_name)
    if found is None:
        op.dependences = None
        return
    op.dependences = DependencesAttr(replace(found, order=order))
    settle_claims(op, pass_name)
