"""The code of one thread of a GPU kernel: all threads together run each instance once."""

from __future__ import annotations

import islpy as isl
import pytest
from ast_execution import executed
from kernels import KERNELS
from suites import rarely

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.base.limits import time_limited_to
from polyir.codegen.ast import (
    AstFor,
    AstInstance,
    AstLet,
    AstMark,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    Operator,
    ast_nodes,
)
from polyir.codegen.ast_build import Cheaper, build_ast
from polyir.codegen.kernels import Kernel, host_and_kernels
from polyir.codegen.thread_strides import (
    BlockTree,
    NoStrideError,
    Stride,
    StridesBelow,
    of_one_thread,
)
from polyir.dialects.scop import scops_in
from polyir.model.gpu import barrier_instances, kernel_marks
from polyir.model.scop import Scop, scop_of
from polyir.sets.lists import sets_of
from polyir.tree.isl_border import from_text

ODD = "map-to-gpu{tile=7 block=5,3 check=false shared=none registers=none}"
GRID = "map-to-gpu{tile=5,3 block=7,5 grid=2 check=false shared=none registers=none}"
HEXAGONS = "pluto-schedule,hexagonal-tile{height=4 width=16 sizes=16}"


def mapped(name: str, pipeline: str) -> Scop:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), pipeline)
    (op,) = scops_in(module)
    return scop_of(op)


def launched(kernel: Kernel) -> isl.Set:
    """The context of a thread, for the blocks that there are."""
    known = kernel.thread.context
    for blocks, name in zip(kernel.grid, kernel.tiles, strict=False):
        position = known.find_dim_by_name(isl.dim_type.param, name)
        parameter = known.get_space().get_dim_id(isl.dim_type.param, position)
        tile = isl.PwAff.from_aff(isl.Aff.param_on_domain_space_id(known.get_space(), parameter))
        end = blocks.first.add(blocks.count)
        known = known.intersect(tile.ge_set(blocks.first)).intersect(tile.lt_set(end))
    return known


def runs(kernel: Kernel) -> isl.UnionMap:
    """`{ S[i] -> [launch, tile, thread] }`: by which values of the parameters S[i] is run."""
    names = (*kernel.launch, *kernel.tiles, *kernel.threads)
    context = launched(kernel)
    found = isl.UnionMap.empty(kernel.thread.context.get_space())
    for part in sets_of(kernel.thread.schedule.domain):
        instances = part.intersect_params(context)
        relation = isl.Map.from_domain(instances)
        for name in names:
            position = relation.find_dim_by_name(isl.dim_type.param, name)
            last = relation.dim(isl.dim_type.out)
            relation = relation.move_dims(isl.dim_type.out, last, isl.dim_type.param, position, 1)
        found = found.union(isl.UnionMap.from_map(relation))
    return found


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("gemm", f"pluto-schedule,{ODD}"),
        ("gemm", f"pluto-schedule,{GRID}"),
        ("cholesky", f"spatial-schedule{{target=gpu}},{GRID}"),
        ("jacobi-2d", f"pluto-schedule,{ODD}"),
        ("atax", f"isl-schedule{{outer-coincidence=true}},reassociate,{GRID}"),
        ("trisolv", "reassociate{lanes=8},map-to-gpu{check=false shared=none registers=none}"),
        ("jacobi-1d", f"{HEXAGONS},map-to-gpu{{check=false shared=none registers=none}}"),
    ],
)
def test_each_instance_is_run_by_one_thread(name: str, pipeline: str) -> None:
    scop = mapped(name, pipeline)
    marks = kernel_marks(scop.schedule.root)
    for mark, kernel in zip(marks, host_and_kernels(scop).kernels, strict=True):
        own = runs(kernel).subtract_domain(barrier_instances(scop))
        wanted = mark.domain.subtract(barrier_instances(scop)).intersect_params(scop.context)
        assert own.is_single_valued()
        assert wanted.is_equal(own.domain())


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("jacobi-2d", f"pluto-schedule,{ODD}"),
        ("seidel-2d", f"isl-schedule,{ODD}"),
        ("heat-3d", f"pluto-schedule,{ODD}"),
        rarely("heat-3d", f"pluto-schedule,{GRID}"),
        rarely("fdtd-2d", f"{HEXAGONS},map-to-gpu{{check=false shared=none registers=none}}"),
    ],
)
def test_code_of_skewed_stencils_takes_seconds(name: str, pipeline: str) -> None:
    for kernel in host_and_kernels(mapped(name, pipeline)).kernels:
        with time_limited_to(10):
            build_ast(kernel.thread, Cheaper(kernel.points, kernel.block))


# ------------------------------------------------------------------ strides in the AST of a block


INSTANCE = AstInstance("S", (AstName("c0"), AstName("c1")), 0)
BLOCK = BlockTree(from_text('{ domain: "{ }" }'), {0: "tx"}, frozenset({"barrier"}))


def stride(origin: int | None = None) -> StridesBelow:
    start = None if origin is None else AstNumber(origin)
    return StridesBelow(1, (None, (0, Stride("tx", 5, start, {"S": ((1, 0), 3)}))))


def nest(inner: AstNode) -> AstNode:
    return AstFor("c0", AstNumber(-1), AstNumber(2), True, 1, inner)


MOVED = AstOperation(Operator.SUB, (AstName("c0"), AstNumber(3)))
ITERATORS = ("c0", "other", "c1")


FIRST = AstOperation(Operator.MUL, (AstNumber(5), AstName("c0")))
LAST = AstOperation(Operator.ADD, (FIRST, AstNumber(4)))


@pytest.mark.parametrize("origin", [None, 7])
@pytest.mark.parametrize(
    "loop",
    [
        AstFor(
            "c1",
            AstOperation(Operator.SUB, (AstName("c0"), AstNumber(3))),
            AstNumber(11),
            False,
            1,
            INSTANCE,
        ),
        AstFor("c1", AstName("c0"), AstNumber(11), True, 2, INSTANCE),
        AstLet("c1", AstName("c0"), INSTANCE),
        AstFor("c1", AstNumber(10), AstNumber(15), False, 1, INSTANCE),
        AstFor("c1", AstNumber(7), AstNumber(9), True, 1, INSTANCE),
        AstFor("c1", FIRST, AstOperation(Operator.MIN, (LAST, AstNumber(6))), True, 1, INSTANCE),
        AstFor("c1", FIRST, AstOperation(Operator.MIN, (AstNumber(6), LAST)), False, 1, INSTANCE),
    ],
)
def test_threads_share_a_loop(loop: AstNode, origin: int | None) -> None:
    block = nest(AstMark(stride(origin), loop))
    root = of_one_thread(block, BLOCK, ITERATORS)
    assert not any(isinstance(node, AstMark) for node in ast_nodes(root))
    found = [(instance, tx) for tx in range(5) for instance in executed(root, {"tx": tx})]
    assert sorted(instance for instance, _ in found) == sorted(executed(nest(loop), {}))
    assert all((c1 - (origin or 0)) % 5 == tx for (_, c1), tx in found)


@pytest.mark.parametrize(("last", "has_loop"), [(14, False), (12, False), (15, True)])
def test_one_iteration_is_no_loop(last: int, has_loop: bool) -> None:
    loop = AstFor("c1", AstNumber(10), AstNumber(last), True, 1, INSTANCE)
    root = of_one_thread(AstMark(stride(), loop), BLOCK, ITERATORS)
    assert any(isinstance(node, AstFor) for node in ast_nodes(root)) is has_loop


def test_a_loop_that_isl_omits_is_known_by_its_function() -> None:
    only = AstInstance("S", (AstName("c0"), AstNumber(9)), 0)
    block = nest(AstMark(stride(), only))
    for tx in range(5):
        found = list(executed(of_one_thread(block, BLOCK, ITERATORS), {"tx": tx}))
        assert found == [(c0, 9) for c0 in range(-1, 3) if (c0 + 3) % 5 == tx]
    unknown = AstMark(stride(), AstInstance("T", (AstName("c0"),), 0))
    with pytest.raises(NoStrideError):
        of_one_thread(nest(unknown), BLOCK, ITERATORS)


def test_what_is_not_mapped_is_run_by_the_first_thread_or_by_all() -> None:
    alone = AstInstance("S", (AstName("c0"),), 0)
    barrier = AstInstance("barrier", (AstName("c0"),), 1)
    for each, expected in ((alone, [4, 0]), (barrier, [4, 4])):
        root = of_one_thread(nest(each), BLOCK, ITERATORS)
        assert [len(list(executed(root, {"tx": tx}))) for tx in (0, 1)] == expected
