"""Random edits of printed poly IR, as a person might make them: one line of the tree, or two.

An edit is legal or not, and what it claims is true or not. `orders_claimed` turns
what an accepted tree claims into other orders, so that executing them shows a false claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, UnitAttr

from polyir.dialects.isl_attributes import MultiUnionPwAffAttr
from polyir.dialects.loop_attributes import requires_parallel
from polyir.dialects.schedule_tree import BandOp

Lines = list[str]
Edit = Callable[[Lines, Random], bool]
"""Changes the lines of a program in place; tells whether there was anything to change."""

_DATE = re.compile(r"(?P<head>(?P<name>\w+)\[(?P<iterators>[^\]]*)\] -> \[\()(?P<value>.*?)\)\]")
_COINCIDENT = re.compile(r"coincident \[([^\]]*)\]")


def _with_flags(line: str) -> str:
    """The line of a band, with the flags that are not printed if none is true."""
    if "poly.band" not in line or _COINCIDENT.search(line):
        return line
    flags = ", ".join(["false"] * (line.count("}, {") + 1))
    return re.sub(
        r'(poly\.band "[^"]*"(?: permutable)?)', rf"\1 coincident [{flags}]", line, count=1
    )


_SIZES = re.compile(r"poly.scop \(([^)]*)\)")
ATTRIBUTES = (
    *("#poly.parallel", "#poly.parallel", "#poly.vector<4>", "#poly.map<block x>"),
    *("#poly.map<thread y>", "#poly.unroll<2>"),
)


def edited(text: str, random: Random) -> str:
    """`text` after one random edit, or two."""
    lines = [_with_flags(line) for line in text.splitlines()]
    for _ in range(random.choice((1, 1, 1, 2))):
        while not random.choice(EDITS)(lines, random):
            pass
    return "\n".join(lines)


def _some(lines: Lines, random: Random, operation: str) -> int | None:
    found = [number for number, line in enumerate(lines) if line.lstrip().startswith(operation)]
    return random.choice(found) if found else None


def _change_band(lines: Lines, random: Random) -> bool:
    """Give a statement another date in one member of a band."""
    number = _some(lines, random, "poly.band")
    dates = [] if number is None else list(_DATE.finditer(lines[number]))
    if number is None or not dates:
        return False
    date = random.choice(dates)
    iterators = [each.strip().partition(" =")[0] for each in date["iterators"].split(",")]
    own = [each["value"] for each in dates if each["name"] == date["name"]]
    value, other = date["value"], random.choice([*filter(None, iterators), "0"])
    changed = random.choice(
        (
            *(f"-({value})", f"{value} + 1", f"{value} - 2", f"2*({value})"),
            *(f"{value} + {other}", f"{value} - {other}", other, random.choice(own)),
        )
    )
    line = lines[number]
    lines[number] = f"{line[: date.start()]}{date['head']}{changed})]{line[date.end() :]}"
    return True


def _swap_members(lines: Lines, random: Random) -> bool:
    """Exchange the dates of a statement in two members of a band."""
    number = _some(lines, random, "poly.band")
    dates = [] if number is None else list(_DATE.finditer(lines[number]))
    pairs = [
        (first, second)
        for first in dates
        for second in dates
        if first.start() < second.start() and first["name"] == second["name"]
    ]
    if number is None or not pairs:
        return False
    line, (first, second) = lines[number], random.choice(pairs)
    lines[number] = (
        line[: first.start("value")]
        + second["value"]
        + line[first.end("value") : second.start("value")]
        + first["value"]
        + line[second.end("value") :]
    )
    return True


def _turn_flag(lines: Lines, random: Random) -> bool:
    number = _some(lines, random, "poly.band")
    if number is None:
        return False
    line = lines[number]
    flags = _COINCIDENT.search(line)
    assert flags is not None
    if random.random() < 0.4:
        start = line[: flags.start()]
        is_permutable = start.endswith("permutable ")
        start = start.removesuffix("permutable ") if is_permutable else f"{start}permutable "
        lines[number] = start + line[flags.start() :]
        return True
    values = flags[1].split(", ")
    position = random.randrange(len(values))
    values[position] = "false" if values[position] == "true" else "true"
    lines[number] = f"{line[: flags.start(1)]}{', '.join(values)}{line[flags.end(1) :]}"
    return True


def _add_attribute(lines: Lines, random: Random) -> bool:
    number = _some(lines, random, "poly.band")
    if number is None:
        return False
    line = re.sub(r" loop_attributes \[\[.*\]\]", "", lines[number])
    flags = _COINCIDENT.search(line)
    assert flags is not None
    loops = ["[]"] * len(flags[1].split(", "))
    loops[random.randrange(len(loops))] = f"[{random.choice(ATTRIBUTES)}]"
    attributes = f" loop_attributes [{', '.join(loops)}]"
    lines[number] = f"{line[: flags.end()]}{attributes}{line[flags.end() :]}"
    return True


def _add_tiles(lines: Lines, random: Random) -> bool:
    """Put a mark of tiles of symbolic sizes above a band; a parameter is the size."""
    number = _some(lines, random, "poly.band")
    scop = _SIZES.search("\n".join(lines))
    names = re.findall(r'"(\w+)"', scop[1]) if scop is not None else []
    if number is None or not names:
        return False
    flags = _COINCIDENT.search(lines[number])
    assert flags is not None
    count = len(flags[1].split(", "))
    loops = ", ".join(random.choice(("[]", "[#poly.parallel]")) for _ in range(count))
    sizes = ", ".join([random.choice(names)] * count)
    front = random.randrange(count) if random.random() < 0.3 else 0
    wavefront = f" wavefront {front}" if front else ""
    mark = f"poly.mark #poly.tile<outset [{sizes}]{wavefront} loops [{loops}]> {{"
    end = _end(lines, number)
    lines[number : end + 1] = [mark, *lines[number : end + 1], "}"]
    return True


def _swap_filters(lines: Lines, random: Random) -> bool:
    """Exchange two children of a sequence."""
    number = _some(lines, random, "poly.sequence")
    if number is None:
        return False
    last = _end(lines, number)
    children, position = [], number + 1
    while position < last:
        end = _end(lines, position)
        children.append(lines[position : end + 1])
        position = end + 1
    if len(children) < 2:
        return False
    first, second = random.sample(range(len(children)), 2)
    children[first], children[second] = children[second], children[first]
    lines[number + 1 : last] = [line for child in children for line in child]
    return True


def _sequence_to_set(lines: Lines, random: Random) -> bool:
    number = _some(lines, random, "poly.sequence")
    if number is None:
        return False
    lines[number] = lines[number].replace("sequence", "set")
    return True


def _end(lines: Lines, number: int) -> int:
    """The last line of the operation that starts in the given line."""
    depth = 0
    for position in range(number, len(lines)):
        depth += lines[position].endswith("{")
        depth -= lines[position].strip() == "}"
        if not depth:
            return position
    raise AssertionError("the braces do not match")


EDITS: tuple[Edit, ...] = (
    *(_change_band, _change_band, _change_band, _swap_members),
    *(_turn_flag, _turn_flag, _add_attribute, _add_attribute, _add_tiles),
    *(_swap_filters, _swap_filters, _sequence_to_set),
)


def orders_claimed(module: ModuleOp) -> dict[str, ModuleOp]:
    """The program in the orders that are legal if all claims of its trees are true.

    `claimed parallel`: each loop that is said to be coincident or parallel runs backwards.
    `claimed permutable`: each band that is said to be permutable has its last loop outermost.
    """
    orders = {"as it is": module}
    for name, change in (("parallel", _run_backwards), ("permutable", _turn_band)):
        other = module.clone()
        changed = [change(band) for band in other.walk() if isinstance(band, BandOp)]
        if any(changed):
            orders[f"claimed {name}"] = other
    return orders


def _run_backwards(band: BandOp) -> bool:
    schedule = band.schedule.data
    claims = zip(band.coincident, band.attributes_of_members, strict=True)
    claimed = [
        position
        for position, (flag, attributes) in enumerate(claims)
        if flag.value.data or requires_parallel(attributes)
    ]
    for position in claimed:
        schedule = schedule.set_at(position, schedule.get_at(position).neg())
    band.schedule = MultiUnionPwAffAttr(schedule)
    return bool(claimed)


def _turn_band(band: BandOp) -> bool:
    if band.permutable is None or band.members < 2:
        return False
    schedule, count = band.schedule.data, band.members
    turned = schedule
    for position in range(count):
        turned = turned.set_at(position, schedule.get_at(count - 1 - position))
    band.schedule = MultiUnionPwAffAttr(turned)
    # What the members are called is not theirs any more.
    band.coincident = ArrayAttr([*band.coincident][::-1])
    band.loop_attributes = None
    band.permutable = UnitAttr()
    return True
