"""From the text of systems of equations to a `Program`.

First the headers of all systems are read, then their equations, which may use other systems.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

import islpy as isl
from lark import Token, Tree

from polyir.base.diagnostics import InputSyntaxError, PolyirError, SourceLocation, nearest
from polyir.equations.points import counted
from polyir.equations.system import (
    Body,
    Declaration,
    Equation,
    Expression,
    Program,
    Role,
    System,
    Use,
)
from polyir.equations.text.calculator import Calculator
from polyir.equations.text.expressions import ExpressionReader, Externals, integer, resolved
from polyir.equations.text.isl_text import IslText, plain_name
from polyir.equations.text.names import Names, completed, names_of, position_names
from polyir.equations.text.source import Branch, Source, children, name_tokens, token, tree


def read_program(text: str, filename: str = "-") -> Program:
    """The systems of a text, in order.

    Raises `InputSyntaxError` for a text that is not in the language, names that are defined twice,
    and parts of AlphaZ's language that polyir does not have. What the equations mean is for
    `check_program`.
    """
    # Some editors write a byte order mark.
    source = Source(text.removeprefix("\ufeff"), filename)
    try:
        return _read(source)
    except RecursionError:
        message = "expressions are nested too deeply"
        raise InputSyntaxError(message, SourceLocation(filename, 1, 1)) from None
    except PolyirError as error:
        raise source.shown(error) from None


def _read(source: Source) -> Program:
    reader = _ProgramReader(source)
    reader.collect(source.tree(), _Scope())
    headers = [each.read_header() for each in reader.systems]
    by_name = {each.name: each for each in headers}
    systems = tuple(each.read_bodies(by_name, reader.externals) for each in reader.systems)
    return Program(systems, reader.externals)


@dataclass(frozen=True)
class _Scope:
    """A package, or the file: its qualified name, and what names mean in it."""

    package: str = ""
    imports: tuple[str, ...] = ()
    constants: dict[str, int] = field(default_factory=dict)

    def qualified(self, name: str) -> str:
        return f"{self.package}.{name}" if self.package else name

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Prefixes with which a name is looked up, innermost first."""
        parts = self.package.split(".") if self.package else []
        around = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return (*around, *self.imports)


class _ProgramReader:
    """Collects what a file has, by qualified names."""

    def __init__(self, source: Source) -> None:
        self.systems: list[_SystemReader] = []
        self.externals: dict[str, int] = {}
        self._source = source
        self._taken: set[str] = set()

    def collect(self, at: Branch, scope: _Scope) -> None:
        """The definitions in a package, or in the file."""
        imports = tuple(_imported(each) for each in children(at, "import_"))
        inner = replace(
            scope,
            imports=(*scope.imports, *(each for each in imports if each)),
            constants=dict(scope.constants),
        )
        for part in children(at, "constant_definition"):
            name, _, value = (token(each) for each in part.children)
            inner.constants[self._new(name, inner)] = integer(self._source, value, value)
        for part in children(at, "external", "system", "package"):
            match part.data:
                case "external":
                    name, arity = (token(each) for each in part.children)
                    count = integer(self._source, arity, arity)
                    self.externals[inner.qualified(self._new(name, inner))] = count
                case "system":
                    name = token(part.children[0])
                    self._new(name, inner)
                    self.systems.append(_SystemReader(self._source, part, inner))
                case _:
                    package = inner.qualified(_qualified(tree(part.children[0])))
                    self.collect(part, replace(inner, package=package))

    def _new(self, at: Token, scope: _Scope) -> str:
        name = plain_name(at)
        if scope.qualified(name) in self._taken:
            self._source.fail(at, f"there is already a '{scope.qualified(name)}'")
        self._taken.add(scope.qualified(name))
        return name


class _SystemReader:
    """Reads one system: `read_header`, then `read_bodies`."""

    def __init__(self, source: Source, at: Tree[Token], scope: _Scope) -> None:
        self._source = source
        self._at = at
        self._scope = scope
        self._name, parameters, _, self._context, *sections = at.children
        self._isl = IslText(source, (), scope.constants)
        self._parameters = () if parameters is None else self._isl.names_in(token(parameters))
        self._isl = IslText(source, self._parameters, scope.constants)
        self._definitions, *self._roles, self._bodies = (tree(each) for each in sections)

    def read_header(self) -> System:
        """The system without its equations."""
        context = self._isl.parameter_set(token(self._context))
        definitions: dict[str, Branch] = {}
        for part in children(self._definitions):
            name, _, value = part.children
            self._add(token(name), definitions)
            definitions[plain_name(name)] = tree(value)
        self._calculator = Calculator(self._source, self._isl, definitions)
        domains = self._domains()
        declarations = tuple(
            Declaration(name, self._calculator.set(domain), role, self._source.location(at))
            for name, (at, domain, role) in domains.items()
        )
        qualified = self._scope.qualified(plain_name(self._name))
        location = self._source.location(token(self._name))
        self._header = System(qualified, self._parameters, context, declarations, (), location)
        return self._header

    def _domains(self) -> dict[str, tuple[Token, Branch, Role]]:
        """The variables by their names: where they are declared, their domains and roles."""
        domains: dict[str, tuple[Token, Branch, Role]] = {}
        for role, section in zip(Role, self._roles, strict=True):
            for group in children(section, "variables"):
                domain = tree(group.children[-1])
                for at in name_tokens(group):
                    self._add(at, domains)
                    domains[plain_name(at)] = (at, domain, role)
                    self._calculator.declare(plain_name(at), domain)
        return domains

    def _add(self, at: Token, known: Container[str]) -> None:
        if plain_name(at) in known:
            self._source.fail(at, f"there is already a '{plain_name(at)}' in this system")

    def read_bodies(self, systems: dict[str, System], externals: dict[str, int]) -> System:
        """The whole system; `systems` are the headers of all."""
        reader = ExpressionReader(
            self._source,
            self._isl,
            self._calculator,
            self._header.variables,
            self._scope.constants,
            Externals(externals, self._scope.prefixes),
        )
        found: list[Body] = []
        for part in children(self._bodies, "body"):
            context = self._body_context(part, [each.context for each in found])
            equations = tuple(self._equation(each, reader) for each in children(part, "equation"))
            uses = tuple(self._use(each, reader, systems) for each in children(part, "use"))
            found.append(Body(context, equations, uses))
        bodies = found or [Body(self._header.context, ())]
        return replace(self._header, bodies=tuple(bodies))

    def _body_context(self, at: Branch, before: Sequence[isl.Set]) -> isl.Set:
        context = self._header.context
        condition = tree(at).children[0]
        if not isinstance(condition, Tree):
            return context
        if condition.data == "when":
            own = self._isl.parameter_set(token(condition.children[0]))
            return context.intersect(own)
        for each in before:
            context = context.subtract(each)
        return context.coalesce()

    def _equation(self, at: Branch, reader: ExpressionReader) -> Equation:
        variable, indices, _, expression = tree(at).children
        name = plain_name(variable)
        declared = self._header.variables.get(name)
        if declared is None:
            hint = nearest(name, self._header.variables)
            self._source.fail(token(variable), f"there is no variable '{name}'{hint}")
        count = declared.domain.dim(isl.dim_type.set)
        if indices is None:
            names, known = None, names_of(declared.domain)
        else:
            known = names = self._isl.names_in(token(indices))
            if len(names) != count:
                message = (
                    f"'{name}' has {counted(count, 'dimension')}, and {len(names)} names are given"
                )
                self._source.fail(token(indices), message)
        read = reader.read(tree(expression), known)
        return Equation(name, read, names, self._source.location(at))

    def _use(self, at: Branch, reader: ExpressionReader, systems: dict[str, System]) -> Use:
        instances, outputs, _, callee, parameters, inputs = tree(at).children
        domain, over, within = self._instances(instances)
        name = _qualified(tree(callee))
        found = resolved(name, systems, self._scope.prefixes)
        if found is None:
            self._unknown_system(tree(callee), name, systems)
        used = systems[found]

        def read(branch: Branch, role: Role) -> tuple[Expression, ...]:
            given = children(branch)
            declared = used.of_role(role)
            if len(given) != len(declared):
                needed = counted(len(declared), role.value.removesuffix("s"))
                message = f"'{found}' has {needed}, and {len(given)} are given"
                self._source.fail(at, message)
            return tuple(
                reader.read(each, _names_of_instance(over, within, variable, self._parameters))
                for each, variable in zip(given, declared, strict=True)
            )

        function = self._isl.array_function(token(parameters), over)
        count = function.dim(isl.dim_type.out)
        if count != len(used.parameters):
            needed = counted(len(used.parameters), "parameter")
            message = f"'{found}' has {needed}, and {count} are given"
            self._source.fail(token(parameters), message)
        return Use(
            found,
            domain,
            function,
            inputs=read(tree(inputs), Role.INPUT),
            outputs=read(tree(outputs), Role.OUTPUT),
            location=self._source.location(at),
        )

    def _instances(self, at: object) -> tuple[isl.Set, Names, Names | None]:
        """For which points there are instances, with their names, and names for the rest."""
        over = within = None
        if isinstance(at, Tree):
            over, within = at.children
        if over is None:
            domain = isl.Set.universe(self._header.space(0))
        else:
            domain = self._calculator.set(tree(over))
        known = names_of(domain)
        named = None if within is None else self._isl.names_in(token(within))
        if named is not None and within is not None:
            self._isl.require_distinct(token(within), (*known, *named))
        return domain, known, named

    def _unknown_system(self, at: Branch, name: str, systems: dict[str, System]) -> NoReturn:
        hint = nearest(name, [*systems, *(each.rpartition(".")[2] for each in systems)])
        self._source.fail(at, f"there is no system '{name}'{hint}")


def _names_of_instance(
    over: Names, within: Names | None, variable: Declaration, parameters: Names
) -> Names:
    """The names at a point of an instance and of a variable of the system that is used."""
    count = variable.domain.dim(isl.dim_type.set)
    if within is None:
        within = names_of(variable.domain, position_names(count))
    rest = [*within[:count], *[None] * (count - len(within))]
    own = [None if name in over or name in parameters else name for name in rest]
    return completed([*over, *own], parameters)


def _imported(at: Branch) -> str:
    """The package that is imported, or the one with the name that is."""
    name, wildcard = tree(at).children
    qualified = _qualified(tree(name))
    return qualified.rpartition(".")[0] if wildcard is None else qualified


def _qualified(at: Branch) -> str:
    return ".".join(plain_name(each) for each in name_tokens(at))
