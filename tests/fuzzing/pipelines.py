"""Random pass pipelines, as the text that `-p` takes."""

from __future__ import annotations

from random import Random


def random_pipeline(seed: int) -> tuple[str, ...]:
    """The passes of a pipeline: what works on scops, and at times what works on loops after it."""
    random = Random(f"pipeline {seed}")
    passes = _usual(random) if random.random() < 0.5 else _any(random)
    if random.random() < 0.35:
        passes.append("lower-poly")
        later = ["convert-parallel-to-omp", "convert-affine-to-scf"]
        random.shuffle(later)
        passes += later[: random.randint(0, 2)]
    return tuple(passes)


def _usual(random: Random) -> list[str]:
    """Schedule, tile, run wavefronts, mark: each of them or not."""
    passes = [_pluto(random)]
    if random.random() < 0.7:
        passes.append(_tile(random))
    if random.random() < 0.3:
        passes.append(f"wavefront{{degrees={random.randint(1, 2)}}}")
    if random.random() < 0.2:
        passes.append("check-schedule")
    passes.append(f"mark-parallel{{which={random.choice(('outermost', 'inner', 'all'))}}}")
    return passes


def _any(random: Random) -> list[str]:
    makers = (
        lambda: "poly-raise",
        lambda: f"poly-dependences{{value-based={random.choice(('true', 'false'))}}}",
        lambda: "poly-dependences{input=true}",
        lambda: _pluto(random),
        lambda: _tile(random),
        lambda: _tile(random),
        lambda: f"wavefront{{degrees={random.randint(1, 3)}}}",
        lambda: _named(random, "fuse", f"depth={random.randint(1, 3)}"),
        lambda: _named(random, "distribute", f"keep={random.randint(0, 2)}"),
        lambda: f"mark-parallel{{which={random.choice(('outermost', 'inner', 'all'))}}}",
        lambda: "check-schedule",
    )
    return [random.choice(makers)() for _ in range(random.randint(0, 5))]


def _pluto(random: Random) -> str:
    fuse = random.choice(("max", "smart", "none"))
    return f"pluto-schedule{{fuse={fuse} input-dependences={random.choice(('true', 'false'))}}}"


def _tile(random: Random) -> str:
    sizes = ",".join(str(random.choice((1, 2, 3, 4, 5, 8))) for _ in range(random.randint(1, 4)))
    levels, ratio = random.choice(((1, 8), (1, 8), (2, 2), (2, 3), (3, 2)))
    return f"tile{{sizes={sizes} levels={levels} min-width={random.randint(1, 3)} ratio={ratio}}}"


def _named(random: Random, name: str, option: str) -> str:
    chosen = random.sample(range(5), random.randint(1, 3))
    return f"{name}{{statements={','.join(f'S{number}' for number in chosen)} {option}}}"
