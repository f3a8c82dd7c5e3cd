"""Random pass pipelines, as the text that `-p` takes.

An element `?7` stands for a transformation that is drawn when its turn comes, from the loops and
statements that there are then (`drawn_pass`), with 7 as the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import islpy as isl
from random_transformations import ANY_TIME, random_pass
from xdsl.dialects.builtin import ModuleOp

from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.passes.strategy_names import StrategyName
from polyir.sets.lists import maps_of
from polyir.tree.addresses import Directory

DRAWN = "?"


def random_pipeline(seed: int) -> tuple[str, ...]:
    """The passes of a pipeline: what works on scops, and at times what works on loops after it.

    At times, it is a `random_vector_pipeline`.
    """
    random = Random(f"pipeline {seed}")
    # A generator of its own: the passes of other seeds stay what they were.
    if Random(f"kind {seed}").random() < 0.4:
        return random_vector_pipeline(seed)
    passes = _usual(random) if random.random() < 0.5 else _any(random)
    if random.random() < 0.35:
        passes.append(f"lower-poly{{split-loops={_flag(random)}}}")
        later = ["convert-parallel-to-omp", "convert-affine-to-scf", "split-loops"]
        later.append(random.choice(["scalar-replacement", "scalar-replacement{levels=all}"]))
        random.shuffle(later)
        passes += later[: random.randint(0, 4)]
    splitting = Random(f"splitting {seed}")
    if splitting.random() < 0.1:
        passes.insert(splitting.randint(0, min(2, len(passes))), "split-statements")
    return tuple(passes)


def random_vector_pipeline(seed: int) -> tuple[str, ...]:
    """A strategy of `optimize`, or other passes with register tiles and vectors at their end."""
    random = Random(f"vector pipeline {seed}")
    if random.random() < 0.4:
        return (_optimize(random),)
    passes = _usual(random) if random.random() < 0.7 else _any(random)
    places = [place for place, each in enumerate(passes) if each.startswith("mark-parallel")]
    if random.random() < 0.2:
        passes.insert(places[-1] if places else len(passes), "wavefront{which=inner}")
    # Blocks may come before parallel loops are marked, which are then loops over tiles of blocks.
    place = places[-1] if places and random.random() < 0.3 else len(passes)
    passes.insert(place, _register_tile(random))
    return (*passes, *_loop_passes(random))


def _optimize(random: Random) -> str:
    strategy = random.choice(StrategyName.choices())
    machine = random.choice(("128", "256", "512", "small_blocks", "small_blocks"))
    threads = random.randint(1, 3)
    path = f"tests/machines/{machine}.json"
    return f'optimize{{threads={threads} machine="{path}" strategy={strategy}}}'


def _register_tile(random: Random) -> str:
    rows, vectors, width = (random.choice(each) for each in ((1, 2, 3), (1, 2), (2, 4, 8)))
    options = f"rows={rows} vectors={vectors} width={width}"
    if random.random() < 0.4:
        options += " masked=true"
    if random.random() < 0.3:
        # Tiles hold whole blocks.
        sizes = (rows * random.randint(1, 3), vectors * width * random.randint(1, 3))
        options += f" tiles={sizes[0]},{sizes[1]},{random.randint(2, 8)}"
    return f"register-tile{{{options}}}"


def _loop_passes(random: Random) -> list[str]:
    """What works on loops with vectors: each pass or not, seldom in another order."""
    passes = ["vectorize"] if random.random() < 0.9 else []
    if random.random() < 0.5:
        elements = random.choice(("", "elements=8 ", "elements=64 "))
        passes.append(f"pack{{{elements}ahead={_flag(random)}}}")
    if random.random() < 0.5:
        passes.append(f"scalar-replacement{{levels={random.choice(('1', '2', 'all'))}}}")
    if random.random() < 0.15:
        random.shuffle(passes)
    return passes


def random_gpu_pipeline(seed: int) -> tuple[str, ...]:
    """A scheduler and, at times, a transformation; then the mapping to a GPU, often with sizes.

    Or it is the default.
    """
    random = Random(f"GPU pipeline {seed}")
    if random.random() < 0.3:
        return ("optimize{target=gpu sequential=device}",)
    passes = [_scheduler(random)]
    if random.random() < 0.3:
        passes.append(_drawn(random))
    options: list[str] = []
    for name, values, most in (
        ("tile", (1, 2, 3, 5, 7, 8, 32), 4),
        ("block", (1, 2, 3, 4, 5, 8, 16), 3),
        ("grid", (1, 2, 3, 100), 3),
    ):
        if random.random() < 0.5:
            sizes = (str(random.choice(values)) for _ in range(random.randint(1, most)))
            options.append(f"{name}={','.join(sizes)}")
    where = random.choice(("auto", "device", "host"))
    if where != "auto":
        options.append(f"sequential={where}")
    if random.random() < 0.3:
        options.append("buffers=2")
    if random.random() < 0.3:
        options.append("shared=all")
    passes.append(f"map-to-gpu{{{' '.join(options)}}}" if options else "map-to-gpu")
    return tuple(passes)


def random_distribution(seed: int) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """What makes parallel loops, the pass `distribute-memory` with its options, and later passes.

    `replicate=?7` stands for arrays that are drawn when there are some. With `reassociate=true`,
    only integers have the same bits.
    """
    random = Random(f"distribution {seed}")
    passes = [_scheduler(random)]
    if random.random() < 0.7:
        passes.append(random.choice((_tile, _tile, _tile, _diamond, _shape))(random))
    if random.random() < 0.5:
        passes.append(f"wavefront{{degrees={random.randint(1, 2)}}}")
    if random.random() < 0.4:
        passes.append(_drawn(random))
    options: list[str] = ["grid=2"] if random.random() < 0.35 else []
    match random.choice(("block", "block", "cyclic", "block-cyclic")):
        case "block-cyclic":
            options.append(f"distribution=block-cyclic block={random.randint(1, 3)}")
        case "cyclic":
            options.append("distribution=cyclic")
    further = Random(f"further options of a distribution {seed}")
    if further.random() < 0.3 and not any("distribution" in each for each in options):
        options.append("data=distributed")
    if further.random() < 0.2:
        options.append("reassociate=true")
        if further.random() < 0.5:
            passes.insert(0, "poly-dependences{reassociate=true}")
    if random.random() < 0.25:
        options.append(f"replicate={_drawn(random)}")
    later = (_mark(random),) if random.random() < 0.4 else ()
    return tuple(passes), f"distribute-memory{{{' '.join(options)}}}", later


def with_drawn_arrays(distribution: str, module: ModuleOp) -> str:
    """A pass `distribute-memory` with arrays of `module` in the place of `replicate=?7`."""
    head, found, seed = distribution.partition(f"replicate={DRAWN}")
    if not found:
        return distribution
    random = Random(seed)
    arrays = sorted({name for op in scops_in(module) for name in scop_of(op).arrays})
    chosen = random.sample(arrays, random.randint(0, min(2, len(arrays))))
    return f"{head}replicate={','.join(chosen)}}}" if chosen else f"{head.rstrip()}}}"


def drawn_pass(element: str, module: ModuleOp) -> str | None:
    """The pass that an element `?7` stands for in `module`; `None` if there is nothing to change.

    `module` has scops, if there is anything to raise.
    """
    random = Random(element)
    scops = [scop for op in scops_in(module) if _has_loops(scop := scop_of(op))]
    if not scops:
        return None
    scop = random.choice(scops)
    if random.random() < 0.1:
        return _given_schedule(random, scop)
    return random_pass(random, scop, ANY_TIME)


def _has_loops(scop: Scop) -> bool:
    return any(part.loops for own in Directory(scop.schedule).parts.values() for part in own)


def _given_schedule(random: Random, scop: Scop) -> str:
    """The schedule in force as a map with two dimensions exchanged, or one of them reversed."""
    dates = scop.schedule.map.intersect_domain(scop.schedule.domain)
    widest = max(each.dim(isl.dim_type.out) for each in maps_of(dates))
    names = [f"t{position}" for position in range(widest)]
    images = list(names)
    if widest > 1:
        one, two = random.sample(range(widest), 2)
        images[one], images[two] = images[two], images[one]
    if widest and random.random() < 0.3:
        place = random.randrange(widest)
        images[place] = f"-{images[place]}"
    change = isl.UnionMap(f"{{ [{', '.join(names)}] -> [{', '.join(images)}] }}")
    return f"apply-schedule{{schedule='{dates.apply_range(change)}'}}"


def _usual(random: Random) -> list[str]:
    """Expand, schedule, tile, order, run wavefronts, mark, contract: each of them or not."""

    def perhaps(probability: float, *makers: Callable[[Random], str]) -> None:
        if random.random() < probability:
            passes.append(random.choice(makers)(random))

    passes: list[str] = []
    perhaps(0.15, _privatize, lambda random: "expand")
    passes.append(_scheduler(random))
    perhaps(0.7, _tile, _tile, _tile, _diamond, _hexagons, _shape)
    perhaps(0.2, _intra_tile_order)
    perhaps(0.3, lambda random: f"wavefront{{degrees={random.randint(1, 2)}}}")
    perhaps(0.15, _full_tiles)
    perhaps(0.1, lambda random: "split-sequential")
    perhaps(0.3, _drawn)
    perhaps(0.2, lambda random: "promote-private")
    perhaps(0.2, lambda random: "check-schedule")
    passes.append(_mark(random))
    perhaps(0.15, lambda random: "contract")
    perhaps(0.2, _drawn, lambda random: "promote")
    return passes


def _any(random: Random) -> list[str]:
    """Whatever comes: passes whose options fit any program, and drawn transformations."""
    makers: tuple[Callable[[Random], str], ...] = (
        lambda random: "poly-raise",
        lambda random: f"poly-dependences{{value-based={_flag(random)}}}",
        lambda random: "poly-dependences{input=true}",
        lambda random: f"wavefront{{degrees={random.randint(1, 3)}}}",
        lambda random: random.choice(("check-schedule", "split-sequential")),
        lambda random: random.choice(("expand", "contract")),
        *(
            _scheduler,
            _tile,
            _tile,
            _diamond,
            _hexagons,
            _shape,
            _intra_tile_order,
            _full_tiles,
            _mark,
        ),
        *(_privatize, *(6 * [_drawn])),
    )
    return [random.choice(makers)(random) for _ in range(random.randint(0, 6))]


def _drawn(random: Random) -> str:
    return f"{DRAWN}{random.randrange(1_000_000)}"


def _flag(random: Random) -> str:
    return random.choice(("true", "false"))


def _scheduler(random: Random) -> str:
    makers = (_pluto, _pluto, _feautrier, _isl_style, _isl_builtin, _spatial)
    return random.choice(makers)(random)


def _pluto(random: Random) -> str:
    fuse = random.choice(("max", "smart", "none"))
    return f"pluto-schedule{{fuse={fuse} input-dependences={_flag(random)}}}"


def _feautrier(random: Random) -> str:
    return f"feautrier-schedule{{serialize={_flag(random)}}}"


def _isl_style(random: Random) -> str:
    fusion = random.choice(("max", "typed", "min"))
    flags = _some_flags(random, "outer-coincidence", "input-dependences", "live-range-reordering")
    return f"isl-schedule{{fusion={fusion}{flags}}}"


def _isl_builtin(random: Random) -> str:
    flags = _some_flags(
        random,
        "maximize-band-depth",
        "outer-coincidence",
        "serialize-sccs",
        "whole-component",
        "live-range-reordering",
    )
    return f"isl-builtin-schedule{{algorithm={random.choice(('isl', 'isl', 'feautrier'))}{flags}}}"


def _spatial(random: Random) -> str:
    target, fusion = random.choice(("cpu", "gpu")), random.choice(("max", "typed", "min"))
    numbers = f"line-size={random.choice((1, 2, 8))} register-limit={random.choice((0, 4, 12))}"
    flags = _some_flags(random, "live-range-reordering")
    return f"spatial-schedule{{target={target} fusion={fusion} {numbers}{flags}}}"


def _some_flags(random: Random, *names: str) -> str:
    return "".join(f" {name}=true" for name in names if random.random() < 0.25)


def _tile(random: Random) -> str:
    sizes = ",".join(str(random.choice((1, 2, 3, 4, 5, 8))) for _ in range(random.randint(1, 4)))
    levels, ratio = random.choice(((1, 8), (1, 8), (2, 2), (2, 3), (3, 2)))
    return f"tile{{sizes={sizes} levels={levels} min-width={random.randint(1, 3)} ratio={ratio}}}"


def _shape(random: Random) -> str:
    shape = random.choice(("1,0;1,1", "1,1;0,1", "1,1;1,-1", "2,1;0,1", "1,0,0;1,1,0;1,0,1"))
    return f"tile-shape{{sizes={random.choice((2, 3, 4))} shape='{shape}'}}"


def _diamond(random: Random) -> str:
    return f"diamond-tile{{size={random.choice((2, 3, 4))} degrees={random.choice(('all', 1))}}}"


def _hexagons(random: Random) -> str:
    height, width, size = (random.choice(range(1, most)) for most in (5, 7, 6))
    return f"hexagonal-tile{{height={height} width={width} sizes={size}}}"


def _intra_tile_order(random: Random) -> str:
    return f"intra-tile-order{{distribute={_flag(random)}}}"


def _full_tiles(random: Random) -> str:
    return f"full-tile-separation{{points={random.choice(('default', 'atomic', 'separate'))}}}"


def _mark(random: Random) -> str:
    return f"mark-parallel{{which={random.choice(('outermost', 'inner', 'all'))}}}"


def _privatize(random: Random) -> str:
    return f"privatize{{loops={random.choice(('needed', 'all'))}}}"
