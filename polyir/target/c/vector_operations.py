"""The C expression of each operation on vectors that touches no memory.

Operators of C are applied to vectors as to scalars, so that a compiler may contract them if it is
told to. What has no operator is a function: for a few operations one of `vector_helpers.py`, for
all others the expression of the scalar operation, lane by lane. Results have the bits of scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation

from polyir.dialects.shaped_operations import operation_on_numbers
from polyir.target.abi import SIGNLESS, Scalar, scalar_type
from polyir.target.c.expression_printer import ExpressionPrinter
from polyir.target.c.masks import is_mask, vector_type
from polyir.target.c.operations import computation, float_constant, is_computation
from polyir.target.c.syntax import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    IntegerLiteral,
    Name,
    Unary,
    Variable,
    cast,
    compare,
    literal,
    walk,
)
from polyir.target.c.types import CType, Vector
from polyir.target.c.vector_helpers import (
    absolute,
    broadcast,
    comparison,
    create_mask,
    extremum,
    insert,
    lanes,
    mask_of,
    select,
)
from polyir.target.c.vector_instructions import exact, number_extremum
from polyir.target.c.vector_syntax import HelperCall, Lane, SameBits, Shuffle, VectorLiteral
from polyir.target.errors import operation_name, unsupported

Operands = Sequence[Expression]
Builder = Callable[[Operation, Operands], Expression | None]
"""The expression of the result, or `None` if it must be computed lane by lane."""


def vector_computation(op: Operation, operands: Operands) -> Expression:
    """The expression of the result of `op`; raises `TargetError` for what has no C."""
    builder = _BUILDERS.get(operation_name(op))
    found = None if builder is None else builder(op, operands)
    if found is None:
        found = _lane_by_lane(op, operands)
    type = _result_type(op)
    return found if isinstance(type, Scalar) else as_type(type, found)


def is_vector_computation(op: Operation) -> bool:
    """Whether `vector_computation` knows the operation, on vectors."""
    return operation_name(op) in _BUILDERS or is_computation(op)


def as_type(type: CType, value: Expression) -> Expression:
    """A mask in another width; any other value has the type."""
    if value.type == type:
        return value
    if isinstance(value, VectorLiteral) and isinstance(type, Vector):
        numbers = [each.value for each in value.values if isinstance(each, IntegerLiteral)]
        return VectorLiteral(type, tuple(IntegerLiteral(type.element, n) for n in numbers))
    return converted(type, value)


def _result_type(op: Operation) -> CType:
    result = op.results[0]
    if isinstance(result.type, VectorType):
        return vector_type(result, op)
    return scalar_type(result.type, op)


def _result_vector(op: Operation) -> Vector:
    type = _result_type(op)
    assert isinstance(type, Vector)
    return type


def _vector(expression: Expression) -> Vector:
    assert isinstance(expression.type, Vector)
    return expression.type


# ------------------------------------------------------------------------------------ lanes


def spread(type: Vector, value: Expression) -> Expression:
    """All lanes are `value`."""
    if value.type is Scalar.BOOL:
        value = _mask_lane(type, value)
    return HelperCall(type, broadcast(type), (value,))


def _mask_lane(type: Vector, value: Expression) -> Expression:
    """A lane of a mask from an `i1`."""
    if isinstance(value, IntegerLiteral):
        return IntegerLiteral(type.element, -(value.value & 1))
    return Unary(type.element, "-", cast(type.element, value))


def _lane(op: Operation, vector: Expression, position: Expression, result: Attribute) -> Expression:
    lane = Lane(_vector(vector).element, vector, position)
    if result == i1:
        return compare("!=", lane, IntegerLiteral(_vector(vector).element, 0))
    return lane


def _lane_by_lane(op: Operation, operands: Operands) -> Expression:
    """A function that computes the scalar operation for each lane."""
    type = _result_vector(op)
    if not is_computation(op):
        raise unsupported(op, f"{operation_name(op)} is not supported by the C target")
    vectors = [_vector(operand) for operand in operands]
    index = Name(Scalar.INT32, Variable("i"))
    values: list[Expression] = []
    for letter, operand, vector in zip("abc", op.operands, vectors, strict=False):
        name = Name(vector, Variable(letter))
        assert isinstance(operand.type, VectorType)
        values.append(_lane(op, name, index, operand.type.element_type))
    scalar = _scalar_operation(op)
    value = computation(scalar, values)
    if is_mask(op.results[0].type):
        value = _mask_lane(type, value)
    calls = [part.function for part in walk(value) if isinstance(part, Call)]
    stem = operation_name(op).replace(".", "_")
    if "predicate" in op.properties:
        stem += f"_{_predicate(op)}"
    if _sources_matter(op):
        stem += f"_{type.suffix}"
    helper = lanes(stem, type, vectors, ExpressionPrinter().expression(value), calls=calls)
    return HelperCall(type, helper, tuple(operands))


def _sources_matter(op: Operation) -> bool:
    """Whether the type of the result does not follow from that of the first operand."""
    types = [value.type for value in (*op.operands, *op.results)]
    return any(type != types[0] for type in types) or any(map(is_mask, types))


def _scalar_operation(op: Operation) -> Operation:
    """The operation on the elements."""

    def element(type: Attribute) -> Attribute:
        return type.element_type if isinstance(type, VectorType) else type

    block = Block(arg_types=[element(operand.type) for operand in op.operands])
    return operation_on_numbers(type(op)).create(
        operands=block.args,
        result_types=[element(result.type) for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )


# ------------------------------------------------------------------------------------ arithmetic


def _operator(operator: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        left, right = operands
        return Binary(_result_vector(op), operator, left, right)

    return build


def _wrapping(operator: str) -> Builder:
    """Arithmetic in the unsigned type, unless it cannot overflow."""

    def build(op: Operation, operands: Operands) -> Expression | None:
        if is_mask(op.results[0].type):
            return None
        type = _result_vector(op)
        left, right = operands
        flags = op.properties.get("overflowFlags")
        is_exact = (
            isinstance(flags, arith.IntegerOverflowAttr)
            and arith.IntegerOverflowFlag.NSW in flags.data
        )
        result = op.results[0].type
        assert isinstance(result, VectorType)
        if is_exact or isinstance(result.element_type, IndexType):
            return Binary(type, operator, left, right)
        pair = (cast(type.unsigned, left), cast(type.unsigned, right))
        return cast(type, Binary(type.unsigned, operator, *pair))

    return build


def _bitwise(operator: str) -> Builder:
    """Masks are brought to the width of the result."""

    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_vector(op)
        left, right = (as_type(type, operand) for operand in operands)
        return Binary(type, operator, left, right)

    return build


def _shift(operator: str, is_unsigned: bool) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression | None:
        if is_mask(op.results[0].type):
            return None
        type = _result_vector(op)
        used = type.unsigned if is_unsigned else type
        value, amount = (cast(used, operand) for operand in operands)
        most = spread(used, IntegerLiteral(Scalar.INT32, type.width - 1))
        return cast(type, Binary(used, operator, value, Binary(used, "&", amount, most)))

    return build


def _division(operator: str, is_unsigned: bool) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression | None:
        if is_mask(op.results[0].type):
            return None
        type = _result_vector(op)
        used = type.unsigned if is_unsigned else type
        left, right = (cast(used, operand) for operand in operands)
        return cast(type, Binary(used, operator, left, right))

    return build


def _negation(op: Operation, operands: Operands) -> Expression:
    return Unary(_result_vector(op), "-", operands[0])


def _extremum(stem: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression | None:
        if is_mask(op.results[0].type):
            return None
        type = _result_vector(op)
        helper = number_extremum if stem.endswith("num") else extremum
        return HelperCall(type, helper(stem, type), tuple(operands))

    return build


def _exact(stem: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_vector(op)
        return HelperCall(type, exact(stem, type, len(operands)), tuple(operands))

    return build


def _absolute(op: Operation, operands: Operands) -> Expression:
    type = _result_vector(op)
    return HelperCall(type, absolute(type), tuple(operands))


# ------------------------------------------------------------------------------------ comparison

_INTEGER_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FIRST_UNSIGNED: Final = 6
_FLOAT_COMPARISONS: Final = MappingProxyType(
    {"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "une": "!="}
)
_OPPOSITES: Final = MappingProxyType({"ugt": "<=", "uge": "<", "ult": ">=", "ule": ">"})


def _predicate(op: Operation) -> int:
    """The number of what a comparison asks."""
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return int(predicate.value.data)


def _compare_integers(op: Operation, operands: Operands) -> Expression | None:
    if is_mask(op.operands[0].type):
        return None
    predicate = _predicate(op)
    left, right = operands
    type = _vector(left)
    if predicate >= _FIRST_UNSIGNED:
        left, right = cast(type.unsigned, left), cast(type.unsigned, right)
    return Binary(mask_of(type), _INTEGER_COMPARISONS[predicate], left, right)


def _compare_floats(op: Operation, operands: Operands) -> Expression:
    """As for scalars: C's `<` and its like are false for NaN."""
    left, right = operands
    type = _vector(left)
    mask = mask_of(type)
    name = arith.CMPF_COMPARISON_OPERATIONS[_predicate(op)]
    if name in ("false", "true"):
        return spread(mask, IntegerLiteral(Scalar.BOOL, int(name == "true")))
    if name in _FLOAT_COMPARISONS:
        return Binary(mask, _FLOAT_COMPARISONS[name], left, right)
    if name in _OPPOSITES:
        return Unary(mask, "~", Binary(mask, _OPPOSITES[name], left, right))
    return HelperCall(mask, comparison(name, type), (left, right))


def _select(op: Operation, operands: Operands) -> Expression:
    condition, then, otherwise = operands
    type = _result_vector(op)
    if is_mask(op.results[0].type):
        then, otherwise = as_type(type, then), as_type(type, otherwise)
    if condition.type is Scalar.BOOL:
        return Conditional(type, condition, then, otherwise)
    condition = as_type(mask_of(type), condition)
    return HelperCall(type, select(type), (condition, then, otherwise))


# ------------------------------------------------------------------------------------ conversions


def converted(type: CType, value: Expression) -> Expression:
    """A value of another type; widths of integers in vectors are doubled or halved step by step.

    Of larger steps, and of numbers from and to narrow integers, gcc 12 makes scalar code.
    """
    own = value.type
    if own == type or not isinstance(type, Vector) or not isinstance(own, Vector):
        return cast(type, value)
    if type.is_float and own.is_float:
        return Cast(type, value)
    if type.is_float or own.is_float:
        if min(type.width, own.width) >= _NUMBER.width:
            return Cast(type, value)
        number = Vector(_NUMBER, type.lanes)
        if own.is_float:
            return converted(type, Cast(number, value))
        return Cast(type, converted(number, value))
    width = min(max(type.width, own.width // 2), 2 * own.width)
    if width == type.width:
        return Cast(type, value)
    return converted(type, Cast(Vector(SIGNLESS[width], own.lanes), value))


_NUMBER: Final = Scalar.INT32
"""The narrowest integers that processors convert to and from floating-point numbers."""


def _convert_signed(op: Operation, operands: Operands) -> Expression | None:
    """The sign of a mask is in all its bits; to a mask, the lowest bit counts."""
    type, (value,) = _result_vector(op), operands
    if is_mask(op.results[0].type):
        own = _vector(value)
        if own.is_float or is_mask(op.operands[0].type):
            return None
        one, zero = (spread(own, IntegerLiteral(Scalar.INT32, n)) for n in (1, 0))
        return Binary(mask_of(own), "!=", Binary(own, "&", value, one), zero)
    return converted(type, value)


def _convert_unsigned(op: Operation, operands: Operands) -> Expression | None:
    type, (value,) = _result_vector(op), operands
    if is_mask(op.results[0].type):
        return None
    if is_mask(op.operands[0].type):
        own = _vector(value)
        one = spread(own, IntegerLiteral(Scalar.INT32, 1))
        return converted(type, Binary(own, "&", value, one))
    return converted(type, cast(_vector(value).unsigned, value))


def _float_to_unsigned(op: Operation, operands: Operands) -> Expression | None:
    if is_mask(op.results[0].type):
        return None
    type = _result_vector(op)
    return cast(type, converted(type.unsigned, operands[0]))


def _same_bits(op: Operation, operands: Operands) -> Expression | None:
    type, (value,) = _result_vector(op), operands
    if is_mask(op.operands[0].type) or is_mask(op.results[0].type):
        raise unsupported(op, f"{op.name} of masks is not supported by the C target")
    return value if value.type == type else SameBits(type, value)


# ------------------------------------------------------------------------------------ the dialect


def _constant(op: Operation, operands: Operands) -> Expression:
    assert isinstance(op, arith.ConstantOp)
    type = _result_vector(op)
    if not isinstance(op.value, DenseIntOrFPElementsAttr):
        raise unsupported(op, f"this constant of type '{op.result.type}' is not supported")
    is_truth = is_mask(op.result.type)
    values: list[Expression] = []
    for number in op.value.get_values():
        match number:
            case int():
                shown = -(number & 1) if is_truth else number
                values.append(IntegerLiteral(type.element, shown))
            case float():
                values.append(float_constant(type.element, number))
            case _:
                raise unsupported(op, "complex numbers are not supported by the C target")
    if op.value.is_splat():
        return spread(type, values[0])
    return VectorLiteral(type, tuple(values))


def _broadcast(op: Operation, operands: Operands) -> Expression:
    (value,) = operands
    return value if isinstance(value.type, Vector) else spread(_result_vector(op), value)


def _step(op: Operation, operands: Operands) -> Expression:
    type = _result_vector(op)
    return VectorLiteral(type, tuple(map(literal, range(type.lanes))))


def _create_mask(op: Operation, operands: Operands) -> Expression:
    type = _result_vector(op)
    return HelperCall(type, create_mask(type), tuple(operands))


def _constant_mask(op: Operation, operands: Operands) -> Expression:
    type = _result_vector(op)
    sizes = op.properties["mask_dim_sizes"]
    (size,) = sizes.data  # type: ignore[attr-defined]
    lanes_ = (IntegerLiteral(type.element, -(n < size.value.data)) for n in range(type.lanes))
    return VectorLiteral(type, tuple(lanes_))


def _position(op: Operation, operands: Operands, lanes_: int) -> Expression:
    """The position of `vector.extract` or `vector.insert`: a number, or the last operand."""
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    positions = static.get_values()
    if len(positions) != 1:
        raise unsupported(op, f"{op.name} must have one position in the C target")
    number = positions[0]
    return literal(int(number)) if 0 <= number < lanes_ else operands[-1]


def _extract(op: Operation, operands: Operands) -> Expression:
    vector = operands[0]
    position = _position(op, operands, _vector(vector).lanes)
    return _lane(op, vector, position, op.results[0].type)


def _insert(op: Operation, operands: Operands) -> Expression:
    position = _position(op, operands, _result_vector(op).lanes)
    return _inserted(op, operands[0], operands[1], position)


def _inserted(
    op: Operation, value: Expression, vector: Expression, position: Expression
) -> Expression:
    type = _result_vector(op)
    if value.type is Scalar.BOOL:
        value = _mask_lane(type, value)
    inserted = HelperCall(type, insert(type), (as_type(type, vector), value, position))
    return _literal_of_insertions(inserted) or inserted


def _literal_of_insertions(expression: HelperCall) -> VectorLiteral | None:
    """`{a, b}` for insertions into all lanes but one of a vector that has one value in all lanes.

    `None` unless they are that.
    """
    type, part = expression.type, expression
    assert isinstance(type, Vector)
    lanes: dict[int, Expression] = {}
    while part.helper == insert(type):
        vector, value, position = part.arguments
        if not (isinstance(position, IntegerLiteral) and isinstance(vector, HelperCall)):
            return None
        lanes.setdefault(position.value, value)
        part = vector
    others = [lane for lane in range(type.lanes) if lane not in lanes]
    if part.helper != broadcast(type) or len(others) != 1:
        return None
    lanes[others[0]] = part.arguments[0]
    return VectorLiteral(type, tuple(lanes[lane] for lane in range(type.lanes)))


def _extract_element(op: Operation, operands: Operands) -> Expression:
    position = operands[1] if len(operands) > 1 else literal(0)
    return _lane(op, operands[0], position, op.results[0].type)


def _insert_element(op: Operation, operands: Operands) -> Expression:
    position = operands[2] if len(operands) > 2 else literal(0)
    return _inserted(op, operands[0], operands[1], position)


def _shuffle(op: Operation, operands: Operands) -> Expression:
    """The builtin wants two vectors of one type: the shorter one is made longer."""
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    type = _result_vector(op)
    left, right = operands
    masks = is_mask(op.results[0].type)
    if masks:
        left, right = (
            as_type(Vector(type.element, _vector(each).lanes), each) for each in operands
        )
    first, second = _vector(left).lanes, _vector(right).lanes
    longest = max(first, second)
    positions = [int(n) if n < first else int(n) - first + longest for n in mask.get_values()]
    pair = (_lengthened(left, longest), _lengthened(right, longest))
    return Shuffle(type, *pair, tuple(positions))


def _lengthened(vector: Expression, lanes_: int) -> Expression:
    type = _vector(vector)
    if type.lanes == lanes_:
        return vector
    positions = [n if n < type.lanes else -1 for n in range(lanes_)]
    zero = spread(type, IntegerLiteral(Scalar.INT32, 0))
    return Shuffle(Vector(type.element, lanes_), vector, zero, tuple(positions))


_BUILDERS: Final = MappingProxyType[str, Builder](
    {
        "arith.constant": _constant,
        "arith.addi": _wrapping("+"),
        "arith.subi": _wrapping("-"),
        "arith.muli": _wrapping("*"),
        "arith.andi": _bitwise("&"),
        "arith.ori": _bitwise("|"),
        "arith.xori": _bitwise("^"),
        "arith.shli": _shift("<<", is_unsigned=True),
        "arith.shrui": _shift(">>", is_unsigned=True),
        "arith.shrsi": _shift(">>", is_unsigned=False),
        "arith.divsi": _division("/", is_unsigned=False),
        "arith.divui": _division("/", is_unsigned=True),
        "arith.remsi": _division("%", is_unsigned=False),
        "arith.remui": _division("%", is_unsigned=True),
        "arith.minsi": _extremum("min"),
        "arith.maxsi": _extremum("max"),
        "arith.minui": _extremum("minu"),
        "arith.maxui": _extremum("maxu"),
        "arith.addf": _operator("+"),
        "arith.subf": _operator("-"),
        "arith.mulf": _operator("*"),
        "arith.divf": _operator("/"),
        "arith.negf": _negation,
        "arith.maximumf": _extremum("maximum"),
        "arith.minimumf": _extremum("minimum"),
        "arith.maxnumf": _extremum("maxnum"),
        "arith.minnumf": _extremum("minnum"),
        "arith.cmpi": _compare_integers,
        "arith.cmpf": _compare_floats,
        "arith.select": _select,
        "arith.index_cast": _convert_signed,
        "arith.index_castui": _convert_unsigned,
        "arith.extsi": _convert_signed,
        "arith.extui": _convert_unsigned,
        "arith.trunci": _convert_signed,
        "arith.sitofp": _convert_signed,
        "arith.uitofp": _convert_unsigned,
        "arith.fptosi": _convert_signed,
        "arith.fptoui": _float_to_unsigned,
        "arith.extf": _convert_signed,
        "arith.truncf": _convert_signed,
        "arith.bitcast": _same_bits,
        "math.absf": _absolute,
        "math.sqrt": _exact("sqrt"),
        "math.fma": _exact("fma"),
        "vector.bitcast": _same_bits,
        "vector.broadcast": _broadcast,
        "vector.splat": _broadcast,
        "vector.fma": _exact("fma"),
        "vector.step": _step,
        "vector.create_mask": _create_mask,
        "vector.constant_mask": _constant_mask,
        "vector.extract": _extract,
        "vector.insert": _insert,
        "vector.extractelement": _extract_element,
        "vector.insertelement": _insert_element,
        "vector.shuffle": _shuffle,
    }
)
"""How the expression of each operation is built, by the operation's name."""
