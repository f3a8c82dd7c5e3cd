"""C to C: the regions of a file are transformed, all else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final, TypeGuard

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass, PassPipelineCallbackType
from xdsl.rewriter import Rewriter

from polyir.base.diagnostics import PolyirError, Remark, RemarkKind, location_of, remarks_kept
from polyir.base.internal_errors import InternalError, Pipeline, internal_errors_of, wants_traceback
from polyir.base.supervisor import doing
from polyir.choose.remarks import CHOSEN
from polyir.dialects.scop import scops_in
from polyir.frontend.c.advice import RESTRICT
from polyir.frontend.c.errors import NoEffectError, NotModelledError
from polyir.frontend.c.layout import line_of_function, words_of
from polyir.frontend.c.places import SourceArgument, SourceArray, SourcePointer, SourceScalar
from polyir.frontend.c.scratch_arrays import SOURCE_ARRAY
from polyir.frontend.c.source import SourceRegion
from polyir.frontend.c.translation import TranslatedRegion
from polyir.frontend.c.types import Arithmetic
from polyir.irregular.extents import UNKNOWN_EXTENTS
from polyir.loops.checked_allocations import check_allocations
from polyir.loops.features import PARALLEL, VECTORS, loop_features
from polyir.loops.levels import convert_equations
from polyir.loops.versions import take_test
from polyir.model.raising import raise_function
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.optimize import OptimizePass
from polyir.passes.poly_raise import PolyRaisePass
from polyir.regions.alias_checks import (
    AliasCheck,
    FoundRanges,
    alias_check,
    operands_of,
    with_assumptions,
)
from polyir.regions.originals import OriginalFunction, original_function
from polyir.regions.read_checks import ReadCheck, copy_check, read_check
from polyir.regions.replacements import (
    DISJOINT,
    CheckText,
    Replacement,
    block_lines,
    call_text,
    check_text,
    indentation,
    with_free_helpers,
)
from polyir.regions.tested_conditions import Tested, leave_out_tested
from polyir.target.abi import Scalar
from polyir.target.c.printer import wrapped
from polyir.target.c.region import (
    ORIGINAL_CODE,
    Form,
    RangeTexts,
    RegionText,
    operand_text,
    range_texts,
    region_text,
    with_free_names,
)
from polyir.target.c.region_functions import plain_pointers
from polyir.target.c.syntax import Spelling
from polyir.universe import PASSES_ON_INDEX_ARRAYS

if TYPE_CHECKING:
    # Few C files are for GPUs, or for ranks.
    from polyir.regions.device_regions import DeviceRegion, KernelFile
    from polyir.regions.rank_regions import RankFile
    from polyir.target.abi import Signature
    from polyir.target.gpu.language import Language


class UnchangedError(PolyirError):
    """No pass changed a region, and one of them, which has reported it, was to do so."""

    def __init__(self, remark: Remark) -> None:
        super().__init__(
            f"[{remark.pass_name}] {remark.message}", remark.location, name=remark.name
        )


REPLAYING_THREADS: Final = 4
"""So many threads save more time than they take to replay the accesses of a region, where that is
long: row by row, it took up to twice the time of a product with a matrix in compressed rows."""


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
    remarks: tuple[Remark, ...] = ()
    """What the passes said of it."""
    is_changed: bool = True
    """Whether the passes made another function of it."""
    is_best: bool = False
    """Whether `optimize` has chosen what it was: its text stays."""
    replacement: Replacement | None = None
    """The new statements, if they are known."""

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
    passes, as in a pipeline of xDSL. A defect of polyir, or of a pass of another package, is an
    error of the region, too.
    """
    try:
        with internal_errors_of(None), doing(f"{region.location}: "):
            return _transformed(region, passes, context, assume_no_alias, kernels, ranks, between)
    except InternalError as error:
        return TransformedRegion(region, None, _region_error(error, region))


def _region_error(error: InternalError, region: SourceRegion) -> PolyirError:
    """What an internal error says of the region in which it occurs."""
    if wants_traceback():
        raise error
    found = error.as_error()
    found.location = found.location or region.location
    return found


def _transformed(
    region: SourceRegion,
    passes: Sequence[ModulePass],
    context: Context,
    assume_no_alias: bool,
    kernels: KernelFile | None,
    ranks: RankFile | None,
    between: PassPipelineCallbackType | None,
) -> TransformedRegion:
    check: AliasCheck | None = None
    reads: ReadCheck | None = None
    device: DeviceRegion | None = None
    ranked: Signature | None = None
    content = region.content
    unraised: ModuleOp | None = None
    if isinstance(content, PolyirError):
        return TransformedRegion(region, None, content)
    takes_data = region.refused is not None or has_index_arrays(passes)
    try:
        if takes_data:
            content.function.attributes[UNKNOWN_EXTENTS] = UnitAttr()
        else:
            unraised = content.module.clone()
            raise_region(region, content)
        if ranks is not None:
            from polyir.regions.rank_regions import require_readable, require_whole_function

            require_whole_function(region, content, assume_no_alias)
            reads = copy_check(content, region.location)
            require_readable(reads, region.location)
            ranks.name(content.function)
        elif kernels is not None:
            from polyir.regions.device_regions import device_region

            reads = copy_check(content, region.location)
            device = device_region(content, region.location, assume_no_alias)
        elif content.overlaps and not assume_no_alias:
            pointers = () if takes_data else operands_of(content.overlaps)
            reads = read_check(content, pointers, region.location)
            check = alias_check_of(region, content, unraised)
            if takes_data:
                reads = read_check(content, check.pointers, region.location)
        else:
            reads = read_check(content, (), region.location)
        if content.assumed is not None:
            check = with_assumptions(check, content.assumed)
        if region.refused is not None:
            raise_function(content.function, data_loops=True)
        before = content.module.clone()
        with remarks_kept() as remarks:
            Pipeline(tuple(passes), between).apply(context, content.module)
        content.module.verify()
        is_changed = not _are_alike(before, content.module)
        missed = [each for each in remarks if each.kind is RemarkKind.MISSED]
        is_chosen = any(each.message.startswith(CHOSEN) for each in remarks)
        is_best = is_chosen and ranks is None and not is_changed
        is_here = kernels is None and ranks is None
        if missed and is_here and not (is_changed or is_chosen):
            raise UnchangedError(missed[0])
        finish_region(region, content, context)
        if unraised is not None and check is not None and check.called and not is_best:
            _require_parallel(content)
        if kernels is not None and device is not None and not is_best:
            try:
                kernels.add(content.module, content.function, device, region.location)
            except NotModelledError as error:
                error.message += "".join(f": {each.message}" for each in missed[-1:])
                raise
        if ranks is not None:
            ranked = ranks.add(content.module, region, content)
    except PolyirError as error:
        error.location = error.location or region.location
        return TransformedRegion(region, None, error)
    return TransformedRegion(
        region,
        content.module,
        None,
        check,
        reads,
        device,
        ranked,
        tuple(remarks),
        is_changed,
        is_best=is_best,
    )


def _are_alike(one: ModuleOp, other: ModuleOp) -> bool:
    """Whether two modules are equal but for dependences, which passes may have computed."""
    copies = one.clone(), other.clone()
    for copy in copies:
        for scop in scops_in(copy):
            scop.dependences = None
    return copies[0].is_structurally_equivalent(copies[1])


def finish_region(region: SourceRegion, content: TranslatedRegion, context: Context) -> None:
    """Lower a region after the passes. Raises `PolyirError` if its file has no place for it."""
    convert_equations(content.module)
    require_no_parameters(region, content)
    _require_no_sizes(content, region)
    if scops_in(content.module):
        LowerPolyPass(fall_back=False).apply(context, content.module)


def _require_parallel(content: TranslatedRegion) -> None:
    """Refuse a region that nothing makes worth a replay of its accesses."""
    if PARALLEL not in loop_features(content.module):
        raise NotModelledError(
            "only a replay of its subscripts finds out which elements it accesses, and no loop is "
            f"parallel, for which that would be worth it ({RESTRICT})",
            name="may-overlap",
        )


def require_no_parameters(region: SourceRegion, content: TranslatedRegion) -> None:
    """Refuse a region whose function got arguments that its file does not have."""
    if len(_kernel(content).function_type.inputs) != len(content.arguments):
        raise PolyirError(
            "symbolic tile sizes are further arguments of a function, and a region has none "
            "(give numbers: --tile=32)",
            region.location,
            name="symbolic-sizes",
        )


def has_index_arrays(passes: Sequence[ModulePass]) -> bool:
    """Whether passes take the loops of regions as they are, with subscripts out of index arrays."""
    if not passes:
        return False
    raises_them = isinstance(passes[0], PolyRaisePass) and passes[0].data_loops
    return raises_them or passes[0].name in PASSES_ON_INDEX_ARRAYS


def takes_data_regions(passes: Sequence[ModulePass]) -> bool:
    """Whether passes choose the loops of regions for the processor, and nothing comes before."""
    first = passes[0] if passes else None
    return isinstance(first, OptimizePass) and first.target == "cpu"


def alias_check_of(
    region: SourceRegion, content: TranslatedRegion, before: ModuleOp | None = None
) -> AliasCheck:
    """The check of a region that has been raised from what it was `before`.

    Without that, it has not been raised, because data decides what its loops do.
    """
    module = content.module
    if before is None:
        before = module
        module = module.clone()
        for op in module.ops:
            if isinstance(op, FuncOp) and not op.is_declaration:
                raise_function(op, data_loops=True)

    def find(operands: Sequence[int]) -> FoundRanges:
        # Few files have such regions.
        from polyir.regions.index_alias_checks import found_ranges

        return found_ranges(before, content.arguments, operands, region.location)

    has_rows_apart = any(
        isinstance(each, SourceArray) and each.has_rows_apart for each in content.arguments
    )
    return alias_check(
        module,
        content.arguments,
        content.overlaps,
        region.location,
        None if has_rows_apart else find,
    )


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
                message = f"the size of '{name}' is not known"
                raise PolyirError(
                    f"{message} (#pragma polyir array({name}: SIZE) says it)",
                    region.location,
                    name="array-size",
                )


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
    outcome = raise_function(content.function, data_loops=region.refused is not None)
    if outcome.scops:
        return
    if outcome.left:
        left = outcome.left[0]
        place = location_of(left.operation) or region.location
        raise content.explained(NotModelledError(left.reason, place, name="no-scop"))
    raise NoEffectError("no loop in it writes to memory", region.location)


def with_replacements(
    text: str,
    transformed: Sequence[TransformedRegion],
    macros: Sequence[str],
    kernels: KernelFile | None = None,
    ranks: RankFile | None = None,
) -> tuple[TransformedRegion, ...]:
    """The regions with their new statements; those that have none in C are left, with the reason.

    Those that are best as they were need none.

    With `kernels` or `ranks`, the statements are calls of the functions in that file.
    """
    words = words_of(text)
    found: list[TransformedRegion] = []
    for item in transformed:
        if item.module is not None and not item.is_best:
            error: PolyirError | None = None
            try:
                with internal_errors_of(None):
                    new = new_statements(item, words, macros, kernels, ranks)
                    item = replace(item, replacement=new)
            except InternalError as internal:
                error = _region_error(internal, item.region)
            except PolyirError as refusal:
                error = refusal
            if error is not None:
                error.location = error.location or item.region.location
                item = replace(item, module=None, error=error)
        found.append(item)
    return tuple(found)


def new_statements(
    item: TransformedRegion,
    words: frozenset[str],
    macros: Sequence[str],
    kernels: KernelFile | None = None,
    ranks: RankFile | None = None,
) -> Replacement:
    """The new statements of a region; raises `PolyirError` for what has no C."""
    region, content = item.region, item.region.content
    assert isinstance(content, TranslatedRegion)
    assert item.module is not None
    _require_orders(item.module, words, region)
    own: frozenset[str] = frozenset()
    if ranks is not None:
        assert item.ranked is not None
        replacement = _calling_on_ranks(item, content, item.ranked, macros)
        own = ranks.names
    elif kernels is None:
        replacement = _replacement(item, content, macros)
    else:
        assert item.device is not None
        replacement = _calling(item, content, item.device, macros, kernels.language)
        own = kernels.names
    if content.final is not None or content.exchanges:
        replacement = _with_final_values(replacement, content, macros)
    return with_free_helpers(replacement, words - own)


def rewrite(
    text: str,
    transformed: Sequence[TransformedRegion],
    macros: Sequence[str],
) -> str:
    """`text` with every region replaced by its new statements, if it has some.

    The functions that these call, minima and quotients of indices, are defined before the
    function around the first region that needs them.
    """
    source = text.splitlines(keepends=True)
    lines, kept = list(source), kept_text(source, transformed)
    defined: dict[str, None] = {}
    insertions: list[tuple[int, list[str]]] = []
    taken = {*macros, *words_of(text)}
    for item in transformed:
        region, replacement = item.region, item.replacement
        if item.is_best and not region.is_part:
            # C compilers warn of pragmas that they do not know.
            lines[region.first_line - 1] = lines[region.last_line - 1] = ""
        if replacement is None:
            continue
        missing = {
            name: with_free_names(definition, macros)
            for name, definition in replacement.helpers.items()
            if name not in defined
        }
        defined.update(dict.fromkeys(missing))
        head = line_of_function(text, region.function_line)
        ending = _line_ending(lines[region.first_line - 1])
        definitions = [_with_ending(definition, ending) for definition in missing.values()]
        original = original_function(region, source, head, taken)
        new = region_lines(region, replacement, source, kept, original)
        if original is not None and any(original.call in line for line in new):
            definitions += original.lines
        insertions.append((head - 1, definitions))
        lines[region.first_line - 1] = "".join(new)
        for number in range(region.first_line, region.last_line):
            lines[number] = ""
    for position, definitions in reversed(insertions):
        lines[position:position] = definitions
    return "".join(lines)


def region_lines(
    region: SourceRegion,
    replacement: Replacement,
    lines: Sequence[str],
    kept: str,
    function: OriginalFunction | None = None,
) -> list[str]:
    """The lines that take the place of a region.

    `lines` are those of its file, and `kept` is the text that stays. The original is executed by a
    call of the `function`, if there is one.
    """
    unused = tuple(
        name
        for name in replacement.unused
        if name not in replacement.inlined or not _is_named(name, kept)
    )
    before, ending = lines[: region.first_line - 1], _line_ending(lines[region.first_line - 1])
    original = lines[region.statement_lines]
    if function is not None:
        original = [f"{indentation(original)}{function.call}{ending}"]
    return block_lines(replace(replacement, unused=unused), before, original, ending)


def kept_text(lines: Sequence[str], transformed: Sequence[TransformedRegion]) -> str:
    """The text of a file that stays."""
    left = list(lines)
    for item in transformed:
        if item.replacement is not None:
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
                f"the file must declare 'void {name}({parameters}, long);'",
                region.location,
                name="not-distributed",
            )


_OUTSIDE_MEMBERS = re.compile(r"(?<![.>\w])[A-Za-z_]\w*")
"""A name that is not that of a member."""


def _replacement(
    item: TransformedRegion, content: TranslatedRegion, macros: Sequence[str]
) -> Replacement:
    forms = [_form(argument) for argument in content.arguments]
    called = [op.sym_name.data for op in content.module.walk() if _is_called(op)]
    taken = (*macros, *_words_of(forms), *called)
    kernel = _kernel(content)
    # Without a check of overlaps, C compilers make less of the original statements, but of what
    # threads run they do not know that it is apart, either.
    has_vectors = VECTORS in loop_features(content.module)
    of_threads = item.check is None or not content.overlaps or not has_vectors
    is_replayed = item.check is not None and bool(item.check.called)
    least_threads = 1
    takes_data = UNKNOWN_EXTENTS in content.function.attributes
    if item.region.refused is not None or (is_replayed and not takes_data):
        is_long = item.check is not None and item.check.is_long
        least_threads = REPLAYING_THREADS if is_long else 2
    sizes = take_test(kernel, of_threads, least_threads)
    leave_out_tested(kernel, _tested(item))
    all_forms = (*forms, *map(_form, _without_allocations(kernel, content.own_arrays)))
    check_allocations(kernel, None, "numbered")
    others = [op for op in _functions(content).values() if op is not kernel]
    text = region_text(kernel, all_forms, taken, others, content.mentioned)
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    given = dict.fromkeys(_OUTSIDE_MEMBERS.findall(" ".join((*map(_text_of, all_forms), *called))))
    unused = tuple(name for name in content.own if name not in present or name not in given)
    taken = (*taken, *content.mentioned)
    own = None if sizes is None else range_texts(sizes, forms, (), taken)
    # Both may declare variables.
    known = [] if own is None else re.findall(r"\w+", " ".join(own.before.lines))
    checks = []
    if item.check is not None:
        checks.append(check_text(item.check, content, forms, (*taken, *known)))
    if own is not None:
        checks = _with_sizes(checks, own, is_replayed and least_threads > 1)
    return _checked(item, content, text, unused, forms, taken, checks)


def _without_allocations(kernel: FuncOp, own: Mapping[str, SourceArray]) -> list[SourceArray]:
    """Make arrays of the source arguments of a function again, and return these in order.

    They take the place of allocations that the passes have left as they were.
    """
    entry, found = kernel.body.block, list[SourceArray]()
    for op in tuple(entry.ops):
        name = op.attributes.get(SOURCE_ARRAY)
        if not isinstance(op, memref.AllocOp) or not isinstance(name, StringAttr):
            continue
        if name.data in own:
            for use in tuple(op.memref.uses):
                if isinstance(use.operation, memref.DeallocOp):
                    Rewriter.erase_op(use.operation)
            argument = entry.insert_arg(op.memref.type, len(entry.args))
            Rewriter.replace_op(op, [], [argument])
            found.append(own[name.data])
    kernel.update_function_type()
    return found


def _with_sizes(checks: Sequence[CheckText], sizes: RangeTexts, is_first: bool) -> list[CheckText]:
    """The checks after a test of sizes, which is quick; it `is_first` if they are not."""
    own = CheckText(sizes.before, sizes.values)
    if is_first or not checks:
        return [own, *checks]
    (check,) = checks
    lines, helpers = sizes.before.lines, sizes.before.helpers
    before = RegionText((*lines, *check.before.lines), (*helpers, *check.before.helpers))
    (is_large,) = sizes.values
    known = is_large.split(" && ")
    others = [one for one in check.conditions if not any(_is_implied(one, each) for each in known)]
    return [CheckText(before, (is_large, *others))]


def _is_implied(condition: str, other: str) -> bool:
    """Whether a condition such as `n >= 1` holds where another one does, such as `n >= 20`."""
    one, more = (re.fullmatch(r"(\w+) >= (\d+)", each) for each in (condition, other))
    return (
        one is not None and more is not None and one[1] == more[1] and int(one[2]) <= int(more[2])
    )


def _tested(item: TransformedRegion) -> Iterator[Tested]:
    """The conditions that hold where the new statements are executed."""
    for function in () if item.reads is None else item.reads.functions:
        last = function.body.block.last_op
        assert last is not None
        yield function, range(len(last.operands))
    if item.check is not None:
        yield item.check.function, (*item.check.conditions, *item.check.executed)


def _words_of(forms: Sequence[Form]) -> list[str]:
    return [word for form in forms for word in re.findall(r"\w+", _text_of(form))]


def _checked(
    item: TransformedRegion,
    content: TranslatedRegion,
    text: RegionText,
    unused: tuple[str, ...],
    forms: Sequence[Form],
    taken: Sequence[str],
    checks: Sequence[CheckText] = (),
) -> Replacement:
    """The replacement of a region by statements, after the check of what it reads and `checks`."""
    reads = () if item.reads is None else item.reads.functions
    texts = [range_texts(function, forms, (), taken) for function in reads]
    read = tuple(CheckText(each.before, tuple(map(operand_text, each.values))) for each in texts)
    # Variables have new values even where the region accesses nothing.
    sets_nothing = content.final is None and not content.exchanges
    is_whole = item.reads is not None and item.reads.is_whole and sets_nothing
    flag = next(name for n in count() if (name := f"runs_{n}" if n else "runs") not in taken)
    inlined = frozenset(unused) & content.functions
    return Replacement(item.region, text, unused, inlined, read, is_whole, tuple(checks), flag)


def _calling(
    item: TransformedRegion,
    content: TranslatedRegion,
    device: DeviceRegion,
    macros: Sequence[str],
    language: Language,
) -> Replacement:
    """The call of a region's kernels in the place of its statements."""
    from polyir.regions.device_regions import device_call

    forms = [_form(argument) for argument in content.arguments]
    taken = (*macros, *_words_of(forms), *content.mentioned)
    call = device_call(device, content.function, content.arguments, forms, taken, language)
    helpers = call.declarations
    apart = [call_text(DISJOINT, pair) for pair in call.apart]
    before = RegionText(call.before.lines, (*call.before.helpers, *([DISJOINT] if apart else [])))
    conditions = (*map(operand_text, call.conditions), *apart)
    if item.check is not None:
        words = re.findall(r"\w+", str(before.lines))
        checked = check_text(item.check, content, forms, (*taken, *words))
        before = RegionText(
            (*checked.before.lines, *before.lines),
            (*checked.before.helpers, *before.helpers),
        )
        conditions = (*checked.conditions, *conditions)
    checks: tuple[CheckText, ...] = ()
    if conditions:
        text, checks = RegionText(call.lines, helpers), (CheckText(before, conditions),)
    else:
        lines = (*call.before.lines, *call.lines)
        text = RegionText(lines, (*before.helpers, *helpers))
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    unused = tuple(name for name in content.own if name not in present)
    return _checked(item, content, text, unused, forms, taken, checks)


def _calling_on_ranks(
    item: TransformedRegion, content: TranslatedRegion, called: Signature, macros: Sequence[str]
) -> Replacement:
    """The call of a function on all ranks in the place of a region's statements."""
    from polyir.regions.rank_regions import call_on_ranks

    text = call_on_ranks(called, content.arguments)
    present = dict.fromkeys(_OUTSIDE_MEMBERS.findall("\n".join(text.lines)))
    unused = tuple(name for name in content.own if name not in present)
    forms = [_form(argument) for argument in content.arguments]
    taken = (*macros, *_words_of(forms), *content.mentioned)
    return _checked(item, content, text, unused, forms, taken)


def _with_final_values(
    replacement: Replacement, content: TranslatedRegion, macros: Sequence[str]
) -> Replacement:
    """The replacement, and after it the assignments to variables that have new values."""
    text = replacement.text
    taken = {*macros, *content.mentioned, *re.findall(r"\w+", "\n".join(text.lines))}
    lines, names = list[str](), list[str]()
    helpers = dict(text.helpers)
    if content.final is not None:
        forms = [_form(argument) for argument in content.arguments]
        computed = range_texts(content.final.function, forms, (), tuple(taken))
        helpers.update(computed.before.helpers)
        lines += computed.before.lines
        taken |= set(re.findall(r"\w+", "\n".join(lines)))
        values = list(computed.values)
        names = [target.split()[0] for target in content.final.targets]
        if any(
            (set(names) - {name}) & set(re.findall(r"\w+", value))
            for name, value in zip(names, values, strict=True)
        ):
            # One assignment must not change what another one needs.
            for position, name in enumerate(names):
                new = next(free for n in count() if (free := f"{name}_{n}") not in taken)
                taken.add(new)
                lines.append(f"  const long {new} = {values[position]};")
                values[position] = new
        for target, value in zip(content.final.targets, values, strict=True):
            lines += wrapped(f"  {target} {value};")
    for loop in content.exchanges:
        lines += [f"  {line}" for line in loop.splitlines()]
        names += re.findall(r"\w+", loop)
    unused = tuple(name for name in replacement.unused if name not in names)
    new_text = RegionText(_followed(text.lines, lines, taken), tuple(helpers.items()))
    return replace(replacement, text=new_text, unused=unused)


def _followed(
    lines: Sequence[str], after: Sequence[str], taken: Collection[str]
) -> tuple[str, ...]:
    """The lines of a region, and those `after` them unless the original was executed instead."""
    if not any(line.endswith(ORIGINAL_CODE) for line in lines):
        return (*lines, *after)
    flag = next(name for n in count() if (name := f"is_done_{n}" if n else "is_done") not in taken)
    marked: list[str] = []
    for line in lines:
        marked.append(line)
        if line.endswith(ORIGINAL_CODE):
            marked.append(line.replace(ORIGINAL_CODE, f"{flag} = 1;"))
    indented = (f"  {line}" for line in after)
    return (f"  _Bool {flag} = 0;", *marked, f"  if (!{flag}) {{", *indented, "  }")


def _text_of(form: Form) -> str:
    if form.spelling is None:
        return form.text
    parts = [part for part in form.spelling.parts if isinstance(part, str)]
    return " ".join((*parts, *form.spelling.strides, form.spelling.offset))


def _is_called(op: Operation) -> TypeGuard[FuncOp]:
    """Whether `op` stands for a function of the file, or of the C library."""
    return isinstance(op, FuncOp) and op.is_declaration


def _form(argument: SourceArgument) -> Form:
    if isinstance(argument, SourcePointer):
        return Form(Scalar.INT64, argument.text, is_pointer=True)
    type = scalar_of(argument.type if isinstance(argument, SourceScalar) else argument.element)
    if isinstance(argument, SourceScalar):
        return Form(type, argument.text)
    spelling = Spelling(argument.parts, argument.strides, argument.offset)
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
