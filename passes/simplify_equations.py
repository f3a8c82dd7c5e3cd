"""The common part of the passes that simplify reductions in systems of equations."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from polyir.diagnostics import OptionError, Remark, RemarkKind, missed, report
from polyir.equations.element_types import ElementType
from polyir.equations.ir import program_of, replace_program
from polyir.equations.simplification.complexity import in_words
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import Simplified, simplify_reductions
from polyir.equations.system import Program, System


def is_integer(pass_name: str, text: str) -> bool:
    """Whether an element type has integers; raises `OptionError` for an unknown one."""
    known = {each.value: each for each in ElementType}
    if text not in known:
        raise OptionError(
            f"pass '{pass_name}': there is no element type '{text}' (there are: {', '.join(known)})"
        )
    return known[text].is_integer


def simplify_module(
    module: ModuleOp, pass_name: str, options: Options, variables: tuple[str, ...]
) -> None:
    """Simplify the reductions of all systems in a module, or of some variables', and report it."""
    program = program_of(module)
    if not program.systems:
        missed(pass_name, "nothing to do: there is no system of equations", module)
        return
    chosen = _chosen(pass_name, program, variables)
    results = [
        simplify_reductions(system, options, names) if names is None or names else None
        for system, names in zip(program.systems, chosen, strict=True)
    ]
    pairs = zip(program.systems, results, strict=True)
    systems = [system if result is None else result.system for system, result in pairs]
    if any(new is not old for new, old in zip(systems, program.systems, strict=True)):
        replace_program(module, Program(tuple(systems), program.externals))
    for system, result in zip(program.systems, results, strict=True):
        if result is not None:
            _report(pass_name, system, result)


def _chosen(pass_name: str, program: Program, variables: tuple[str, ...]) -> list[list[str] | None]:
    """For each system the variables to simplify: all where it is `None`."""
    if not variables:
        return [None for _ in program.systems]
    defined = [
        {each.variable for body in system.bodies for each in body.equations}
        for system in program.systems
    ]
    for name in variables:
        if not any(name in names for names in defined):
            raise OptionError(f"pass '{pass_name}': no equation defines '{name}'")
    return [[name for name in variables if name in names] for names in defined]


def _report(pass_name: str, system: System, result: Simplified) -> None:
    for note in result.notes:
        kind = RemarkKind.MISSED if note.is_missed else RemarkKind.REMARK
        report(Remark(kind, pass_name, note.text, note.location))
    before, after = (in_words(each, system.parameters) for each in (result.before, result.after))
    change = f"{before}, as before" if before == after else f"{before} before, {after} now"
    text = f"system {system.name}: {change}"
    report(Remark(RemarkKind.REMARK, pass_name, text, system.location))
