"""Random small affine programs, for the schedulers' property tests."""

from __future__ import annotations

from hypothesis import strategies as st
from small_programs import Loop, Statement, loop, statement

CONDITIONS = ("0 <= {0} < N", "1 <= {0} < N - 1", "{1} <= {0} < N", "0 <= {0} < {1}")


def subscripts(iterators: tuple[str, ...]) -> st.SearchStrategy[str]:
    if not iterators:
        return st.sampled_from(["0", "1", "N - 1"])
    one = st.sampled_from(iterators)
    shifted = st.builds("{} + {}".format, one, st.integers(-2, 2))
    reversed_ = st.builds("N - 1 - {}".format, one)
    summed = st.builds("{} + {}".format, one, one)
    return st.one_of(shifted, shifted, reversed_, summed, st.just("0"))


def accesses(iterators: tuple[str, ...]) -> st.SearchStrategy[str]:
    vector = st.builds("a[{}]".format, subscripts(iterators))
    matrix = st.builds("b[{}, {}]".format, subscripts(iterators), subscripts(iterators))
    return st.one_of(vector, vector, matrix, st.just("s[]"))


@st.composite
def bodies(
    draw: st.DrawFn, iterators: tuple[str, ...], names: list[str]
) -> tuple[Loop | Statement, ...]:
    """One or two loops or statements; statement names are taken from the end of `names`."""
    body: list[Loop | Statement] = []
    for _ in range(draw(st.integers(1, 2))):
        if not names:
            break
        if len(iterators) < 3 and draw(st.booleans()):
            body.append(draw(loops(iterators, names)))
        else:
            reads = draw(st.lists(accesses(iterators), max_size=2))
            body.append(statement(names.pop(), draw(accesses(iterators)), "; ".join(reads)))
    return tuple(body)


@st.composite
def loops(draw: st.DrawFn, iterators: tuple[str, ...], names: list[str]) -> Loop:
    iterator = f"i{len(iterators)}"
    known = CONDITIONS if iterators else CONDITIONS[:2]
    condition = draw(st.sampled_from(known)).format(iterator, *iterators[-1:])
    return loop(iterator, condition, *draw(bodies((*iterators, iterator), names)))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Loop | Statement, ...]:
    names = [f"S{number}" for number in reversed(range(4))]
    return (draw(loops((), names)), *draw(bodies((), names)))
