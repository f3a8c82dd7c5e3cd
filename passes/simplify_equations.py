"""The common part of the passes that simplify reductions in systems of equations."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.base.diagnostics import OptionError, Remark, RemarkKind, nearest, report
from polyir.passes.equation_pass import EquationPass

if TYPE_CHECKING:
    from polyir.equations.simplification.options import Options
    from polyir.equations.simplification.simplify import Simplified
    from polyir.equations.system import Expression, Program, System


@dataclass(frozen=True)
class SimplifyingPass(EquationPass):
    """A pass that simplifies the reductions in the equations of `variables`, or in all."""

    variables: tuple[str, ...] = ()

    @abstractmethod
    def options(self, system: System) -> Options:
        """What is allowed in a system."""

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.simplification.simplify import simplify_reductions
        from polyir.equations.system import Reduce
        from polyir.equations.use_inputs import with_locals_for_inputs

        def has_reduction(given: Expression) -> bool:
            return any(isinstance(each, Reduce) for each in given.walk())

        if not self.variables:
            system = with_locals_for_inputs(system, program, has_reduction)
        chosen = [name for name in self.variables if name in _defined(system)]
        if self.variables and not chosen:
            return system
        result = simplify_reductions(system, self.options(system), chosen or None)
        self._report(system, result)
        return result.system

    def _chosen(self, program: Program) -> tuple[System, ...]:
        chosen = super()._chosen(program)
        names = [name for system in chosen for name in _defined(system)]
        for name in self.variables:
            if name not in names:
                hint = nearest(name, names)
                raise OptionError(
                    f"'{self.name}': no equation defines '{name}'{hint}", name="unknown-name"
                )
        return chosen

    def _report(self, system: System, result: Simplified) -> None:
        from polyir.equations.simplification.complexity import in_words

        for note in result.notes:
            kind = RemarkKind.MISSED if note.is_missed else RemarkKind.REMARK
            report(
                Remark(
                    kind,
                    self.name,
                    note.text,
                    note.location,
                    name="no-reduction" if note.is_missed else "",
                )
            )
        names = system.parameters
        before, after = (in_words(each, names) for each in (result.before, result.after))
        change = f"{before}, as before" if before == after else f"{before} before, {after} now"
        text = f"system {system.name}: {change}"
        report(Remark(RemarkKind.REMARK, self.name, text, system.location))


def _defined(system: System) -> list[str]:
    return [each.variable for body in system.bodies for each in body.equations]
