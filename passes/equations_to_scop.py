"""The pass `equations-to-scop`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import OptionError, idle, missed
from polyir.passes.check_equations import require_defined
from polyir.passes.options import PassWithOptions

if TYPE_CHECKING:
    from polyir.equations.element_types import ElementType
    from polyir.equations.system import System


@dataclass(frozen=True)
class EquationsToScopPass(PassWithOptions):
    """Make a function with a `poly.scop` of each system of equations.

    The function takes the parameters, then memory for the inputs, then for the outputs; elements
    have the type `element-type` (`f64`, `f32`, `i64` or `i32`), by default the one that the system
    says, or `f64`. A system that functions compute, by `equations.compute`, becomes a scop in these
    instead. `systems` lists the systems; by
    default, each one becomes a function. Systems that are used are copied into those that use them,
    and the equations are brought into normal form. Each variable has memory of its own, and its
    statements write each element once. A reduction combines its values in lexicographic order. With
    `tree=32`, it first combines so many neighbours each, in parallel; sums and products of
    floating-point numbers, which round, only with `reassociate`.

    Systems in which a value is undefined, or defined twice, are refused as `check-equations` does,
    unless `check=false`. The equations have no order. The schedule tree is found by Feautrier's
    scheduler.

    Before:

        equations.system @sums parameters ["N"] context "[N] -> {  : N > 0 }" {
          equations.variable @X input "[N] -> { [i] : 0 <= i < N }"
          equations.variable @Y output "[N] -> { [] }"
          equations.body context "[N] -> {  :  }" {
            equations.define @Y {
              %0 = equations.read @X : <1>
              %1 = equations.reduce "+" %0 by "[N] -> { [i] -> [] }"
              equations.yield %1 : <0>
            }
          }
        }

    After:

        func.func @sums(%N: index, %X: memref<?xf64>, %Y: memref<f64>) {
          poly.scop (%N as "N") context "[N] -> {  : N > 0 }" {
            poly.stmt @S_Y domain "[N] -> { S_Y[] : N > 0 }" () {
              %0 = arith.constant 0.0 : f64
              affine.store %0, %Y[] : memref<f64>
            }
            poly.stmt @S_Y_0 domain "[N] -> { S_Y_0[i] : 0 <= i < N }" (%i) {
              %1 = affine.load %X[%i] : memref<?xf64>
              %2 = affine.load %Y[] : memref<f64>
              %3 = arith.addf %2, %1 : f64
              affine.store %3, %Y[] : memref<f64>
            }
            ...
    """

    name = "equations-to-scop"

    element_type: Literal["f64", "f32", "i64", "i32"] | None = None
    systems: tuple[str, ...] = ()
    tree: int = 0
    reassociate: bool = False
    check: bool = True

    def __post_init__(self) -> None:
        if self.tree < 0 or self.tree == 1:
            raise OptionError("tree must be 2 or more, or 0 for none")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from polyir.equations.element_types import ElementType
        from polyir.equations.ir import program_of, replace_program
        from polyir.equations.to_scop import add_functions
        from polyir.equations.trees import with_trees

        program = program_of(op)
        if not program.systems:
            idle(self.name, "nothing to do: the module has no equations", op)
            return
        if self.check:
            require_defined(program)
        replace_program(op, type(program)(()))
        chosen = None if self.element_type is None else ElementType(self.element_type)

        def change(system: System, element_type: ElementType) -> System:
            if not self.tree:
                return system
            changed = with_trees(system, self.tree, element_type, self.reassociate)
            if changed == system:
                message = f"no reduction of '{system.name}' becomes a tree"
                if not (element_type.is_integer or self.reassociate):
                    message += ": sums and products of floating-point numbers need 'reassociate'"
                missed(self.name, message, op, name="no-schedule")
            return changed

        add_functions(op, program, self.systems, chosen, change)
