"""C to C: the regions of a file are transformed, all else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, TypeGuard

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType

from polyir.alias_checks import AliasCheck, alias_check, operands_of
from polyir.diagnostics import PolyirError, location_of
from polyir.frontend.c.errors import NoEffectError, NotModelledError
from polyir.frontend.c.layout import line_of_function, words_of
from polyir.frontend.c.places import SourceArgument, SourcePointer, SourceScalar
from polyir.frontend.c.source import SourceRegion
from polyir.frontend.c.translation import TranslatedRegion
from polyir.frontend.c.types import Arithmetic
from polyir.irregular.extents import UNKNOWN_EXTENTS
from polyir.model.raising import raise_function
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.poly_raise import PolyRaisePass
from polyir.passes.prerequisites import convert_equations, scops_in
from polyir.read_checks import ReadCheck, copy_check, read_check
from polyir.replacements import (
    DISJOINT,
    CheckText,
    Replacement,
    block_text,
    check_text,
    disjoint_call,
    operand_text,
    with_free_helpers,
)
from polyir.target.abi import Scalar
from polyir.target.c.region import (
    Form,
    RegionText,
    range_texts,
    region_text,
    with_free_names,
)
from polyir.target.c.region_functions import plain_pointers
from polyir.target.c.syntax import Spelling
from polyir.universe import PASSES_ON_INDEX_ARRAYS

if TYPE_CHECKING:
    # Few C files are for GPUs, or for ranks.
    from polyir.device_regions import DeviceRegion, KernelFile
    from polyir.rank_regions import RankFile
    from polyir.target.abi import Signature
    from polyir.target.gpu.language import Language


@dataclass(frozen=True)
class TransformedRegion:
    """A region after the passes, in loop form, or the error for which it stays as it is."""

    region: SourceRegion
    module: ModuleOp | None
    error: PolyirError | None
    check: AliasCheck | None = None
    """What must be apart at run time for the new loops to have the meaning of the old ones."""
    reads: ReadCheck | None = None
    """What must hold at run time for the parameters of the new loops to be readable."""
    device: DeviceRegion | None = None
    """What a call of the region's kernels needs, if it has kernels."""
    ranked: Signature | None = None
    """The function that all ranks call instead, if there is one."""

    @property
    def is_missed(self) -> bool:
        """Whether the user has to know that it stays; not a part in which nothing is to be done."""
        return self.error is not None and not (
            self.region.is_part and isinstance(self.error, NoEffectError)
        )


def transform_region(
    region: SourceRegion,
    passes: Sequence[ModulePass],
    context: Context,
    assume_no_alias: bool = False,
    kernels: KernelFile | None = None,
    ranks: RankFile | None = None,
    between: PassPipelineCallbackType | None = None,
) -> TransformedRegion:
    """The region after `passes`. What cannot be modelled or refused by a pass is an error.

    With `kernels`, it must have kernels, and its function becomes part of that file. With `ranks`,
    it must be distributed, and its functions become part of that one. `between` is called between
    passes, as in a pipeline of xDSL.
    """
    check: AliasCheck | None = None
    reads: ReadCheck | None = None
    device: DeviceRegion | None = None
    ranked: Signature | None = None
    content = region.content
    if isinstance(content, PolyirError):
        return TransformedRegion(region, None, content)
    try:
        if has_index_arrays(passes):
            content.function.attributes[UNKNOWN_EXTENTS] = UnitAttr()
        else:
            raise_region(region, content)
        if ranks is not None:
            from polyir.rank_regions import require_readable, require_whole_function

            require_whole_function(region, content, assume_no_alias)
            reads = copy_check(content, region.location)
            require_readable(reads, region.location)
            ranks.name(content.function)
        elif kernels is not None:
            from polyir.device_regions import device_region

            reads = copy_check(content, region.location)
            device = device_region(content, region.location, assume_no_alias)
        elif content.overlaps and not assume_no_alias:
            takes_data = has_index_arrays(passes)
            pointers = () if takes_data else operands_of(content.overlaps)
            reads = read_check(content, pointers, region.location)
            check = alias_check_of(region, content, takes_data)
            if takes_data:
                reads = read_check(content, check.pointers, region.location)
        else:
            reads = read_check(content, (), region.location)
        PassPipeline(tuple(passes), between).apply(context, content.module)
        content.module.verify()
        finish_region(region, content, context)
        if kernels is not None and device is not None:
            kernels.add(content.module, content.function, device, region.location)
        if ranks is not None:
            ranked = ranks.add(content.module, region, content)
    except PolyirError as error:
        error.location = error.location or region.location
        return TransformedRegion(region, None, error)
    return TransformedRegion(region, content.module, None, check, reads, device, ranked)


def finish_region(region: SourceRegion, content: TranslatedRegion, context: Context) -> None:
    """Lower a region after the passes. Raises `PolyirError` if its file has no place for it."""
    convert_equations(content.module)
    if len(_kernel(content).function_type.inputs) != len(content.arguments):
        raise PolyirError(
            "symbolic tile sizes are further arguments of a function, and a region has none",
            region.location,
        )
    _require_no_sizes(content, region)
    if scops_in(content.module):
        LowerPolyPass(fall_back=False).apply(context, content.module)


def has_index_arrays(passes: Sequence[ModulePass]) -> bool:
    """Whether passes take the loops of regions as they are, with subscripts out of index arrays."""
    if not passes:
        return False
    raises_them = isinstance(passes[0], PolyRaisePass) and passes[0].data_loops
    return raises_them or passes[0].name in PASSES_ON_INDEX_ARRAYS


def alias_check_of(
    region: SourceRegion, content: TranslatedRegion, has_index_arrays: bool
) -> AliasCheck:
    """The check of a region that has been raised, or, `has_index_arrays`, that has not."""
    module = content.module
    if has_index_arrays:
        module = module.clone()
        for op in module.ops:
            if isinstance(op, FuncOp) and not op.is_declaration:
                raise_function(op)
    try:
        return alias_check(module, content.arguments, content.overlaps, region.location)
    except NotModelledError as error:
        if not has_index_arrays:
            raise
        return _replaying_alias_check(region, content, error)


def _replaying_alias_check(
    region: SourceRegion, content: TranslatedRegion, error: NotModelledError
) -> AliasCheck:
    """The check of a region in which index arrays decide what is accessed.

    Raises `error` if there is none.
    """
    # Few files have such regions.
    from polyir.index_alias_checks import replaying_alias_check

    try:
        return replaying_alias_check(
            content.module, content.arguments, content.overlaps, region.location
        )
    except PolyirError as reason:
        hint = "declare pointers as restrict, or give --assume-no-alias"
        error.message += f", and no test can find out: {reason.message} ({hint})"
        raise error from None


def _require_no_sizes(content: TranslatedRegion, region: SourceRegion) -> None:
    """Refuse a region for which a pass needs the size of an array that C does not say."""
    kernel, functions = _kernel(content), _functions(content)
    others = [op for op in functions.values() if op is not kernel]
    arrays: dict[SSAValue, Scalar] = dict.fromkeys(kernel.body.block.args, Scalar.INT64)
    outside = set(kernel.body.block.args)
    for name, positions in plain_pointers(kernel, others, arrays).items():
        outside |= {functions[name].body.block.args[position] for position in positions}
    for function in functions.values():
        for op in function.walk():
            if isinstance(op, memref.DimOp) and op.source in outside:
                name = op.source.name_hint or "an array"
                raise PolyirError(f"the size of '{name}' is not known", region.location)


def _kernel(content: TranslatedRegion) -> FuncOp:
    """The function that stands for a region after the passes, which may have split it."""
    functions = _functions(content)
    return functions.get(content.name, content.function)


def _functions(content: TranslatedRegion) -> dict[str, FuncOp]:
    """The functions with a body, by name."""
    return {
        op.sym_name.data: op
        for op in content.module.ops
        if isinstance(op, FuncOp) and not op.is_declaration
    }


def raise_region(region: SourceRegion, content: TranslatedRegion) -> None:
    """Raise the loops of a region. Raises `PolyirError` if none of them can be raised."""
    outcome = raise_function(content.function)
    if outcome.scops:
        return
    if outcome.left:
        left = outcome.left[0]
        place = location_of(left.operation) or region.location
        raise content.explained(NotModelledError(left.reason, place))
    raise NoEffectError("no loop in it writes to memory", region.location)


def rewrite(
    text: str,
    transformed: Sequence[TransformedRegion],
    macros: Sequence[str],
    openmp: bool = True,
    kernels: KernelFile | None = None,
    ranks: RankFile | None = None,
) -> str:
    """`text` with every region that was transformed replaced by its new statements.

    With `kernels` or `ranks`, these are calls of the functions in that file.

    The functions that these call, minima and quotients of indices, are defined before the
    function around the first region that needs them. Raises `PolyirError` for what has no C.
    """
    lines = text.splitlines(keepends=True)
    words = words_of(text)
    kept = _without_regions(lines, transformed)
    defined: dict[str, None] = {}
    insertions: list[tuple[int, list[str]]] = []
    for item in transformed:
        if item.module is None:
            continue
        region, content = item.region, item.region.content
        assert isinstance(content, TranslatedRegion)
        _require_orders(item.module, words, region)
        if ranks is not None:
            assert item.ranked is not None
            replacement = _calling_on_ranks(item, content, item.ranked, macros)
            replacement = with_free_helpers(replacement, words - ranks.names)
        elif kernels is None:
            replacement = _replacement(item, content, macros, openmp)
            replacement = with_free_helpers(replacement, words)
        else:
            assert item.device is not None
            replacement = _calling(item, content, item.device, macros, kernels.language)
            replacement = with_free_helpers(replacement, words - kernels.names)
        replacement = replace(
            replacement,
            unused=tuple(
                name
                for name in replacement.unused
                if name not in replacement.inlined or not _is_named(name, kept)
            ),
        )
        missing = {
            name: with_free_names(definition, macros)
            for name, definition in replacement.helpers.items()
            if name not in defined
        }
        defined.update(dict.fromkeys(missing))
        head = line_of_function(text, region.function_line)
        ending = _line_ending(lines[region.first_line - 1])
        definitions = [_with_ending(definition, ending) for definition in missing.values()]
        insertions.append((head - 1, definitions))
        first = region.first_line - 1
        original = lines[region.statement_lines]
        lines[first] = block_text(replacement, lines[first], original, ending)
        for number in range(region.first_line, region.last_line):
            lines[number] = ""
    for position, definitions in reversed(insertions):
        lines[position:position] = definitions
    return "".join(lines)


def _without_regions(lines: Sequence[str], transformed: Sequence[TransformedRegion]) -> str:
    """The text that stays."""
    left = list(lines)
    for item in transformed:
        if item.module is not None:
            for number in range(item.region.first_line - 1, item.region.last_line):
                left[number] = ""
    return "".join(left)


def _is_named(name: str, text: str) -> bool:
    """Whether a function is named after its definition or its declaration."""
    return len(re.findall(rf"\b{name}\s*\(", text)) > 1


def _require_orders(module: ModuleOp, words: Collection[str], region: SourceRegion) -> None:
    """Refuse a region that calls a function for an order which the file does not declare."""
    for op in module.ops:
        if not isinstance(op, FuncOp) or not op.is_declaration or op.sym_name.data in words:
            continue
        # Few regions call functions that the file does not have.
        from polyir.irregular.orders import ORDER

        if ORDER in op.attributes:
            name = op.sym_name.data
            parameters = "const long *starts, long, const long *neighbours, long, long *elements"
            raise PolyirError(
                f"the file must declare 'void {name}({parameters}, long);'", region.location
            )


_OUTSIDE_MEMBERS = re.compile(r"(?<![.>\w])[A-Za-z_]\w*")
"""A name that is not that of a member."""


def _replacement(
    item: TransformedRegion, content: TranslatedRegion, macros: Sequence[str], openmp: bool
) -> Replacement:
    forms = [_form(argument) for argument in content.arguments]
    called = [op.sym_name.data for op in content.module.walk() if _is_called(op)]
    taken = (*macros, *_words_of(forms), *called)
    kernel = _kernel(content)
    others = [op for op in _functions(content).values() if op is not kernel]
    text = region_text(kernel, forms, taken, openmp, others)
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    given = dict.fromkeys(_OUTSIDE_MEMBERS.findall(" ".join((*map(_text_of, forms), *called))))
    unused = tuple(name for name in content.own if name not in present or name not in given)
    taken = (*taken, *content.mentioned)
    check = None if item.check is None else check_text(item.check, content, forms, taken)
    return _checked(item, content, text, unused, forms, taken, check)


def _words_of(forms: Sequence[Form]) -> list[str]:
    return [word for form in forms for word in re.findall(r"\w+", _text_of(form))]


def _checked(
    item: TransformedRegion,
    content: TranslatedRegion,
    text: RegionText,
    unused: tuple[str, ...],
    forms: Sequence[Form],
    taken: Sequence[str],
    check: CheckText | None = None,
) -> Replacement:
    """The replacement of a region by statements, after the check of what it reads and `check`."""
    reads = () if item.reads is None else item.reads.functions
    texts = [range_texts(function, forms, (), taken) for function in reads]
    checks = tuple(CheckText(each.before, tuple(map(operand_text, each.values))) for each in texts)
    is_whole = item.reads is not None and item.reads.is_whole
    flag = next(name for n in count() if (name := f"runs_{n}" if n else "runs") not in taken)
    inlined = frozenset(unused) & content.functions
    return Replacement(item.region, text, unused, inlined, checks, is_whole, check, flag)


def _calling(
    item: TransformedRegion,
    content: TranslatedRegion,
    device: DeviceRegion,
    macros: Sequence[str],
    language: Language,
) -> Replacement:
    """The call of a region's kernels in the place of its statements."""
    from polyir.device_regions import device_call

    forms = [_form(argument) for argument in content.arguments]
    taken = (*macros, *_words_of(forms), *content.mentioned)
    call = device_call(device, content.function, content.arguments, forms, taken, language)
    helpers = call.declarations
    apart = [disjoint_call(pair) for pair in call.apart]
    before = RegionText(call.before.lines, (*call.before.helpers, *([DISJOINT] if apart else [])))
    conditions = (*call.conditions, *apart)
    if conditions:
        text, check = RegionText(call.lines, helpers), CheckText(before, conditions)
    else:
        lines = (*call.before.lines, *call.lines)
        text, check = RegionText(lines, (*before.helpers, *helpers)), None
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    unused = tuple(name for name in content.own if name not in present)
    return _checked(item, content, text, unused, forms, taken, check)


def _calling_on_ranks(
    item: TransformedRegion, content: TranslatedRegion, called: Signature, macros: Sequence[str]
) -> Replacement:
    """The call of a function on all ranks in the place of a region's statements."""
    from polyir.rank_regions import call_on_ranks

    text = call_on_ranks(called, content.arguments)
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    unused = tuple(name for name in content.own if name not in present)
    forms = [_form(argument) for argument in content.arguments]
    taken = (*macros, *_words_of(forms), *content.mentioned)
    return _checked(item, content, text, unused, forms, taken)


def _text_of(form: Form) -> str:
    if form.spelling is None:
        return form.text
    parts = [part for part in form.spelling.parts if isinstance(part, str)]
    return " ".join((*parts, *form.spelling.strides))


def _is_called(op: Operation) -> TypeGuard[FuncOp]:
    """Whether `op` stands for a function of the file, or of the C library."""
    return isinstance(op, FuncOp) and op.is_declaration


def _form(argument: SourceArgument) -> Form:
    if isinstance(argument, SourcePointer):
        return Form(Scalar.INT64, argument.text, is_pointer=True)
    type = scalar_of(argument.type if isinstance(argument, SourceScalar) else argument.element)
    if isinstance(argument, SourceScalar):
        return Form(type, argument.text)
    spelling = Spelling(argument.parts, argument.strides)
    text = "".join(part for part in argument.parts if isinstance(part, str))
    return Form(type, text, spelling)


def scalar_of(type: Arithmetic) -> Scalar:
    """The C target's name for a type of the C frontend."""
    if type.is_bool:
        return Scalar.BOOL
    if type.is_float:
        return Scalar.DOUBLE if type.width == 64 else Scalar.FLOAT
    return Scalar(f"{'' if type.is_signed else 'u'}int{type.width}_t")


def _line_ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _with_ending(text: str, ending: str) -> str:
    return (text.rstrip("\n") + "\n\n").replace("\n", ending)
