"""The pass `promote`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import PolyirError, location_of, missed, remark
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.limits import limited
from polyir.model.copies import require_right_copies
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops, dependences_of
from polyir.transform.address import parse_optional_address
from polyir.transform.promote import (
    Footprint,
    PromotedSpace,
    PromoteOptions,
    apply_promotion,
    plan_promotion,
)


@dataclass(frozen=True)
class PromotePass(ModulePass):
    """Keep what an iteration of a loop touches of an array in a local array.

    `promote{arrays=A loop="S.0"}`, where a strip of 8 iterations reads A[i] and writes B[i]:

        poly.band "[n] -> [{ S[i] -> [(i - (i) mod 8)] }]" {
          poly.band "[n] -> [{ S[i] -> [(i)] }]"
        }

    becomes

        %A_local = poly.local_array @A_local stack : memref<8xf64>
        poly.stmt @A_in domain "[n] -> { A_in[t0, a0] : ... }" (%t0, %a0) {
          %0 = affine.load %A[%a0] : memref<?xf64>
          affine.store %0, %A_local[%a0 - %t0] : memref<8xf64>
        }
        poly.band "[n] -> [{ S[i] -> [(i - (i) mod 8)] }]" {
          poly.mark #poly.local<@A_local "{ [S[i] -> A[i1]] -> A_local[((i) mod 8)] : i1 = i }"> {
            poly.extension "[n] -> { [i0] -> A_in[t0 = i0, a0] : ... }" {
              poly.sequence {
                poly.filter "[n] -> { A_in[t0, a0] }" {
                  poly.band "[n] -> [{ A_in[t0, a0] -> [(a0)] }]"
                }
                poly.filter "[n] -> { S[i] }" {
                  poly.band "[n] -> [{ S[i] -> [(i)] }]"
    """

    name = "promote"

    arrays: tuple[str, ...] = ()
    loop: str = ""
    footprint: Footprint = "box"
    order: tuple[int, ...] = ()
    reverse: tuple[int, ...] = ()
    padding: int = 0
    alignment: int = 0
    space: PromotedSpace = "auto"

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    def _options(self) -> PromoteOptions:
        return PromoteOptions(
            self.arrays,
            parse_optional_address(self.loop),
            self.footprint,
            self.order,
            self.reverse,
            self.padding,
            self.alignment,
            self.space,
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(ctx, op)
        if not scops:
            missed(self.name, "nothing to do: the module has no static control part", op)
        for scop in scops:
            try:
                self._apply_to(scop)
            except PolyirError as error:
                error.location = error.location or location_of(scop)
                raise

    def _apply_to(self, op: ScopOp) -> None:
        options, scop = self._options(), scop_of(op)
        promotion = limited("the promotion", lambda: plan_promotion(scop, options), ir=op)
        for message in promotion.done:
            remark(self.name, message, op)
        for message in promotion.missed:
            missed(self.name, message, op)
        if not promotion.arrays:
            return
        assert op.dependences is not None
        order = op.dependences.data.order
        apply_promotion(op, promotion, options)
        changed = scop_of(op)
        limited("the check of copies", lambda: require_right_copies(changed))
        found = dependences_of(op, pass_name=self.name)
        op.dependences = None if found is None else DependencesAttr(replace(found, order=order))
