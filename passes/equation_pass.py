"""What passes on systems of equations share.

These passes import what they apply when they apply it: `--help` imports all passes.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import OptionError, PolyirError, idle, nearest
from polyir.passes.options import PassWithOptions

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class EquationPass(PassWithOptions):
    """A pass that rewrites systems of equations: the one called `system`, or all of the module."""

    system: str | None = field(default=None, kw_only=True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from polyir.equations.ir import program_of, replace_program

        program = program_of(op)
        if not program.systems:
            idle(self.name, "there is no system of equations: nothing to do", op)
            return
        systems = {each.name: self._rewritten(each, program) for each in self._chosen(program)}
        replace_program(
            op,
            replace(
                program,
                systems=tuple(systems.get(each.name, each) for each in program.systems),
            ),
        )

    @abstractmethod
    def rewrite(self, system: System, program: Program) -> System:
        """The system with the same outputs, written otherwise; it may use others of the program."""

    def _rewritten(self, system: System, program: Program) -> System:
        try:
            return self.rewrite(system, program)
        except PolyirError as error:
            if not isinstance(error, OptionError):
                error.location = error.location or system.location
            raise

    def _chosen(self, program: Program) -> tuple[System, ...]:
        """The systems to rewrite. Their names may leave out the packages."""
        if self.system is None:
            return program.systems
        found = [each for each in program.systems if each.name == self.system] or [
            each for each in program.systems if each.name.rpartition(".")[2] == self.system
        ]
        if not found:
            hint = nearest(self.system, [each.name for each in program.systems])
            raise OptionError(
                f"'{self.name}': there is no system '{self.system}'{hint}", name="unknown-name"
            )
        return tuple(found)


@dataclass(frozen=True)
class VariablePass(EquationPass):
    """A pass on the equation of one variable, which one system of the module has."""

    variable: str

    def _chosen(self, program: Program) -> tuple[System, ...]:
        chosen = super()._chosen(program)
        found = tuple(each for each in chosen if self.variable in each.variables)
        if len(found) == 1:
            return found
        if not found:
            names = [name for each in chosen for name in each.variables]
            hint = nearest(self.variable, names)
            raise OptionError(
                f"'{self.name}': there is no variable '{self.variable}'{hint}", name="unknown-name"
            )
        systems = ", ".join(each.name for each in found)
        raise OptionError(
            f"'{self.name}': several systems have a variable '{self.variable}': choose one by the "
            f"option 'system' ({systems})"
        )

    def _rewritten(self, system: System, program: Program) -> System:
        result = super()._rewritten(system, program)
        if result == system:
            idle(self.name, f"'{self.variable}' stays as it is: {self.why_nothing()}")
        return result

    def why_nothing(self) -> str:
        """The reason where the result is the same system."""
        return "there is nothing to do"
