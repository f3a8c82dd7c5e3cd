"""C files as programs for Python: their loops as a module for passes, and back to C.

As in polyir-cc, what passes make of a region takes the place of its statements, and the rest of the
file stays. The functions of the file are called with NumPy arrays for pointers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass

from polyir.api.expected_sizes import require_sizes
from polyir.api.sources import Source
from polyir.base.diagnostics import OptionError, PolyirError, Remark, RemarkKind, report
from polyir.frontend.c.definitions import CArray, CDefinition, CNumber, definitions
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.layout import one_statement_a_line, without_marks
from polyir.frontend.c.places import SourceArray, SourceScalar, variable_of
from polyir.frontend.c.preprocess import Preprocessed, preprocess
from polyir.frontend.c.region_pragmas import files_of_regions
from polyir.frontend.c.sizes_of_regions import SizesOfRegions
from polyir.frontend.c.source import SourceFile, SourceRegion, detect_regions, read_regions
from polyir.frontend.c.translation import TranslatedRegion
from polyir.irregular.extents import UNKNOWN_EXTENTS
from polyir.model.arguments import Source as Number
from polyir.model.raising import raise_function
from polyir.model.requirements import Requirement, requirements_of
from polyir.regions.alias_checks import AliasCheck, with_assumptions
from polyir.regions.read_checks import ReadCheck, read_check
from polyir.regions.source_to_source import (
    TransformedRegion,
    alias_check_of,
    finish_region,
    has_index_arrays,
    raise_region,
    rewrite,
    scalar_of,
    takes_data_regions,
    with_replacements,
)
from polyir.runtime.argument_checks import ArgumentChecks
from polyir.runtime.compiler import DEFAULT_FLAGS, CompilerOptions, find_compiler
from polyir.runtime.foreign import ForeignFunction, ForeignModule
from polyir.target.abi import ArrayParameter, ArrayType, Parameter, ScalarParameter, Signature
from polyir.universe import new_context

_NAME: Final = "c-files"
"""How remarks are marked."""

_OF_PREPROCESSOR: Final = ("-D", "-U", "-I", "-i", "-std")
"""How the flags begin that decide what the text of a file is."""


@dataclass(frozen=True)
class PreparedRegion:
    """A region that can be transformed, and what must be apart at run time."""

    region: SourceRegion
    content: TranslatedRegion
    check: AliasCheck | None
    reads: ReadCheck | None


@dataclass(frozen=True)
class CProgram:
    """A C file: its text and its regions, whose functions are in one module."""

    text: str
    macros: tuple[str, ...]
    digest: str
    """Of the preprocessed text: headers are part of what is compiled."""
    options: CompilerOptions
    regions: tuple[PreparedRegion, ...]
    functions: tuple[ForeignFunction, ...]

    def module(self) -> ModuleOp:
        """A module with the functions of all regions."""
        functions: dict[str, func.FuncOp] = {}
        for each in self.regions:
            for op in each.content.module.ops:
                assert isinstance(op, func.FuncOp)
                functions.setdefault(op.sym_name.data, op.clone())
            if each.region.refused is not None:
                raise_function(functions[each.content.name], data_loops=True)
        return ModuleOp(list(functions.values()))

    def rewritten(self, module: ModuleOp) -> str:
        """The file with what passes have made of `module` in the place of its regions.

        A region stays as it is, with a warning, if C or the file has no form for what was made.
        """
        transformed = [self._finished(each, module) for each in self.regions]
        for each in transformed:
            if each.error is not None:
                _warn(f"not transformed: {each.error.message}", each.error)
        return rewrite(self.text, transformed, self.macros)

    def _finished(self, prepared: PreparedRegion, module: ModuleOp) -> TransformedRegion:
        """A region with its function from a module after the passes, lowered, or the error."""
        region = prepared.region
        try:
            content = prepared.content.in_module(_part_of(module, prepared))
            region = replace(region, content=content)
            finish_region(region, content, new_context())
            _require_one_cpu(content.module)
            checks = (prepared.check, prepared.reads)
            found = TransformedRegion(region, content.module, None, *checks)
        except PolyirError as error:
            error.location = error.location or region.location
            return TransformedRegion(region, None, error)
        return with_replacements(self.text, [found], self.macros)[0]

    def compile(self, module: ModuleOp, options: CompilerOptions | None = None) -> ForeignModule:
        """The functions of the file, with `module` in it. Raises `CompilationError`.

        `options` are in the place of those with which it was read.
        """
        text = f"{self.rewritten(module)}\n/* {self.digest} */\n"
        own = self.options
        if options is not None:
            own = replace(options, flags=(*options.flags, *own.flags[-2:]))
        return ForeignModule(text, self.functions, own)


@dataclass(frozen=True)
class CFile:
    """A C file after the preprocessor."""

    text: str
    filename: str
    options: CompilerOptions
    preprocessed: Preprocessed

    @property
    def digest(self) -> str:
        """That of the preprocessed text: headers are part of what is compiled."""
        content = self.preprocessed.text.encode(errors="surrogateescape")
        return hashlib.sha256(content).hexdigest()


def preprocessed_file(source: Source, options: CompilerOptions | None = None) -> CFile:
    """A text or a file in C after the preprocessor of the compiler of `options`.

    By default, that is the C of the compiler, with its extensions. Raises `PolyirError` with the
    messages of the preprocessor, and if there is no C compiler.
    """
    if options is None:
        options = CompilerOptions(
            flags=tuple(each for each in DEFAULT_FLAGS if not each.startswith("-std="))
        )
    folder = source.path.resolve().parent if source.path is not None else Path.cwd()
    options = replace(options, flags=(*options.flags, "-iquote", str(folder)))
    text = without_marks(one_statement_a_line(source.text))
    found = _preprocessed(text, source.filename, options)
    return CFile(text, source.filename, options, found)


def read_c(
    file: CFile,
    passes: Sequence[ModulePass] = (),
    sizes: Mapping[str, int] = MappingProxyType({}),
) -> CProgram:
    """The program in a C file: the regions between `#pragma scop` and `#pragma endscop`.

    Without these, all loops that can be transformed are regions. They are for `passes`: those on
    index arrays take loops as they are. `sizes` are expected of the integers of regions. Raises
    `PolyirError` for text that is not C.
    """
    takes_data = has_index_arrays(passes)
    text, path, macros = file.preprocessed.text, file.filename, file.preprocessed.macros
    is_detecting = path not in files_of_regions(text)
    read = detect_regions if is_detecting else read_regions
    regions_of_file = read(text, path, macros, file.text, takes_data)
    if regions_of_file.data_regions and takes_data_regions(passes):
        from polyir.regions.data_regions import with_data_regions

        regions_of_file = with_data_regions(regions_of_file, passes, new_context())
    found = tuple(definitions(text, path, macros))
    lines = {each.line: each.name for each in found}
    regions = tuple(_prepared(regions_of_file, is_detecting, takes_data, lines))
    expected = SizesOfRegions(require_sizes(sizes))
    expected.attach(each.content for each in regions)
    if unknown := expected.unknown():
        raise OptionError(f"sizes: {unknown[0]}")
    functions = tuple(_function(each, regions) for each in found if each.name != "main")
    return CProgram(file.text, macros, file.digest, file.options, regions, functions)


def _preprocessed(text: str, filename: str, options: CompilerOptions) -> Preprocessed:
    """The text of a file after the preprocessor, with the places of `filename`."""
    flags = [
        flag
        for previous, flag in zip(("", *options.flags), options.flags, strict=False)
        # The value of some flags is the next one.
        if flag.startswith(_OF_PREPROCESSOR)
        or (previous.startswith(_OF_PREPROCESSOR) and not flag.startswith("-"))
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "module.c"
        quoted = filename.replace("\\", "\\\\").replace('"', '\\"')
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            stream.write(f'#line 1 "{quoted}"\n{text}')
        found = preprocess(find_compiler(options), flags, str(path))
    # The same text gives the same.
    return replace(found, text=found.text.replace(str(path), path.name))


def _prepared(
    file: SourceFile, is_detecting: bool, takes_data: bool, functions: Mapping[int, str]
) -> Iterator[PreparedRegion]:
    """The regions that can be transformed; the others are reported."""
    for skipped in file.skipped:
        _warn(f"function skipped: {skipped.message}", skipped)
    for each in file.unused:
        _warn(each.message, each)
    for lost in file.lost:
        _warn(f"region not transformed: {lost.message}", lost)
    is_found = False
    names: set[str] = set()
    left: list[PolyirError] = list(file.left)
    for region in file.regions:
        try:
            name = functions.get(region.function_line, "region")
            prepared = _prepare(region, takes_data, _free(name, names))
        except PolyirError as error:
            error.location = error.location or region.location
            left.append(error)
            continue
        is_found = True
        names.add(prepared.content.name)
        yield prepared
    for reason in left:
        kind = RemarkKind.REMARK if is_detecting and is_found else RemarkKind.MISSED
        what = "loop left" if is_detecting else "region not transformed"
        message = f"{what}: {reason.message}"
        report(Remark(kind, _NAME, message, reason.location, name=reason.name))


def _warn(message: str, error: PolyirError) -> None:
    report(Remark(RemarkKind.MISSED, _NAME, message, error.location, name=error.name))


def _free(name: str, taken: Container[str]) -> str:
    return next(each for n in count(1) if (each := name if n == 1 else f"{name}_{n}") not in taken)


def _prepare(region: SourceRegion, takes_data: bool, name: str) -> PreparedRegion:
    """A region with its check. Raises `PolyirError` if it cannot be transformed."""
    content = region.content
    if isinstance(content, PolyirError):
        raise content
    content.function.sym_name = StringAttr(name)
    content = replace(content, explained=_unexplained, name=name)
    raised = content.in_module(content.module.clone())
    takes_data = takes_data or region.refused is not None
    check = None
    if takes_data:
        content.function.attributes[UNKNOWN_EXTENTS] = UnitAttr()
    else:
        raise_region(region, raised)
    pointers: tuple[int, ...] = ()
    if content.overlaps:
        check = alias_check_of(region, raised, None if takes_data else content.module)
        pointers = check.pointers
    reads = read_check(content, pointers, region.location)
    if content.assumed is not None:
        check = with_assumptions(check, content.assumed)
    return PreparedRegion(region, content, check, reads)


def _unexplained(error: NotModelledError) -> NotModelledError:
    """After its translation, a region has no calls that were inlined."""
    return error


def _require_one_cpu(module: ModuleOp) -> None:
    """Refuse kernels of GPUs and functions for ranks, which need files of their own."""
    for op in module.walk():
        if op.name.startswith(("gpu.", "mpi.")):
            option = "--target" if op.name.startswith("gpu.") else "--mpi"
            raise PolyirError(
                f"from Python, C runs on one CPU; there is polyir-cc {option}",
                name="unsupported-by-target",
            )


def _part_of(module: ModuleOp, prepared: PreparedRegion) -> ModuleOp:
    """A copy of the function of a region, with those that it calls.

    Raises `PolyirError` if no such function is left.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    if prepared.content.name not in functions:
        message = f"a pass has removed '{prepared.content.name}', or has left no loops of it"
        raise PolyirError(message, prepared.region.location, name="not-modelled")
    taken: dict[str, None] = {}
    waiting = [prepared.content.name]
    while waiting:
        name = waiting.pop(0)
        if name not in taken and name in functions:
            taken[name] = None
            calls = (op for op in functions[name].walk() if isinstance(op, func.CallOp))
            waiting += [op.callee.string_value() for op in calls]
    return ModuleOp([functions[name].clone() for name in taken])


# Functions


def _function(found: CDefinition, regions: Sequence[PreparedRegion]) -> ForeignFunction:
    """A function of a file with what is known of its arguments."""
    signature = Signature(
        found.name,
        tuple(map(_parameter, found.parameters)),
        () if found.result is None else (scalar_of(found.result),),
    )
    arrays = {n: each for n, each in enumerate(found.parameters) if isinstance(each, CArray)}
    whole = [
        each for each in regions if each.region.is_body and each.region.function_line == found.line
    ]
    checks = ArgumentChecks(
        tuple(each for region in whole for each in _requirements(region, found)),
        frozenset(n for n, each in arrays.items() if each.is_written),
        restricted=frozenset(n for n, each in arrays.items() if each.is_restrict),
    )
    inner = {n: each.inner for n, each in arrays.items()}
    return ForeignFunction(signature, checks, inner, found.reason)


def _parameter(given: CArray | CNumber) -> Parameter:
    if isinstance(given, CArray):
        return ArrayParameter(
            given.name,
            ArrayType(scalar_of(given.element), (None, *(_known(each) for each in given.inner))),
        )
    return ScalarParameter(given.name, scalar_of(given.type))


def _known(extent: str) -> int | None:
    return int(extent) if extent.isdigit() else None


def _requirements(prepared: PreparedRegion, found: CDefinition) -> Iterator[Requirement]:
    """What a function whose body is a region requires of its arguments."""
    positions = {each.name: number for number, each in enumerate(found.parameters)}
    content = prepared.content.in_module(prepared.content.module.clone())
    raise_region(prepared.region, content)
    places: dict[int, int] = {}
    for number, argument in enumerate(content.arguments):
        name = None
        if isinstance(argument, SourceScalar):
            name = argument.text
        elif isinstance(argument, SourceArray) and not argument.strides:
            name = variable_of(argument)
        if name in positions and argument.origin.root == name:
            places[number] = positions[name]
    for each in requirements_of(content.function):
        if all(source.argument in places for source in each.sources):
            sources = (Number(places[it.argument], it.dimension) for it in each.sources)
            yield replace(each, sources=tuple(sources))
