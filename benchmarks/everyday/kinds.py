"""Random loop nests of everyday kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Final

from .nests import STYLES, Nest, Writer, loop, loops

Kind = Callable[[Writer], Nest]

_FLOATS: Final = ("double", "float")
_PIXELS: Final = ("float", "double", "unsigned char", "short", "int")


def nest_of(seed: int, style: str = "") -> Nest:
    """The nest of a number; its arrays are declared at random, or in a style of `nests.STYLES`."""
    random = Random(seed)
    kind = KINDS[random.choice(tuple(KINDS))]
    drawn = random.choice(STYLES)
    return kind(Writer(random, style or drawn))


def _zero(type: str) -> str:
    return {"float": "0.0f", "double": "0.0"}.get(type, "0")


def _number(random: Random, type: str) -> str:
    text = f"{random.randint(1, 99) / 64:.6g}"
    text += "" if "." in text else ".0"
    return text + ("f" if type == "float" else "")


def convolution(w: Writer) -> Nest:
    """A window over an image, into a scalar or into the output itself; flat, or with channels."""
    random = w.random
    width = random.choice((2, 3, 3, 3, 5, 5, 7, 9))
    type = random.choice(_PIXELS)
    total = type if type in _FLOATS else "int"
    channels = random.choice((0, 0, 0, 3, 4))
    area = 4000 if random.random() < 0.3 else 1000
    h, v = w.size("h", 8, area), w.size("w", 8, area)
    ranges = [("y", "0", "h"), ("x", "0", "w")]
    channel, extent = (["c"], [str(channels)]) if channels else ([], [])
    if channels:
        ranges.append(("c", "0", str(channels)))
    w.array("out", type, "h", "w", *extent)
    w.array("in", type, f"h + {width - 1}", f"w + {width - 1}", *extent)
    w.array("k", total, str(width), str(width), limit=4)
    source = w.at("in", "y + r", "x + s", *channel)
    term = f"{w.at('k', 'r', 's')} * {source}"
    target = w.at("out", "y", "x", *channel)
    window = [("r", "0", str(width)), ("s", "0", str(width))]
    is_wide = type in _FLOATS or type == "int"
    if is_wide and random.random() < 0.4:
        body = f"{target} = {_zero(type)};\n" + loops(window, f"{target} += {term};")
    else:
        end = "sum" if is_wide else "sum / 16"
        body = f"{total} sum = {_zero(total)};\n" + loops(window, f"sum += {term};")
        body += f"\n{target} = {end};"
    work = 2.0 * h * v * width * width * max(1, channels)
    return w.nest("convolution", loops(ranges, body), work)


def filter_1d(w: Writer) -> Nest:
    """A finite impulse response, with a constant or a variable number of taps."""
    random = w.random
    type = random.choice(_FLOATS)
    n = w.size("n", 32, 1_000_000)
    if random.random() < 0.5:
        taps = random.choice((3, 4, 8, 16, 31))
        name = str(taps)
    else:
        taps, name = w.size("m", 4, 200), "m"
    w.array("y", type, "n")
    w.array("x", type, f"n + {name}")
    w.array("h", type, name)
    body = f"{type} s = {_zero(type)};\n" + loop("k", "0", name, "s += h[k] * x[i + k];")
    return w.nest("filter", loop("i", "0", "n", f"{body}\ny[i] = s;"), 2.0 * n * taps)


def weighted_blur(w: Writer) -> Nest:
    """A filter whose terms are written out."""
    random = w.random
    type = random.choice(_FLOATS)
    h, v = w.size("h", 8, 3000), w.size("w", 8, 3000)
    w.array("b", type, "h", "w")
    w.array("a", type, "h", "w")
    places = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    chosen = sorted(random.sample(places, random.choice((4, 5, 9))))
    terms = [f"{_number(random, type)} * {w.at('a', _plus('y', dy), _plus('x', dx))}"
             for dy, dx in chosen]  # fmt: skip
    ranges = [("y", "1", "h - 1"), ("x", "1", "w - 1")]
    body = f"{w.at('b', 'y', 'x')} = {' + '.join(terms)};"
    return w.nest("blur", loops(ranges, body), 2.0 * len(terms) * h * v)


def _plus(name: str, offset: int) -> str:
    return name if not offset else f"{name} {'+' if offset > 0 else '-'} {abs(offset)}"


def contraction(w: Writer) -> Nest:
    """A product over 2 to 5 indices, with operands in any order of indices."""
    random = w.random
    type = random.choice(_FLOATS)
    count = random.choice((2, 3, 3, 3, 4, 5))
    names = "ijklm"[:count]
    high = {2: 3000, 3: 600, 4: 90, 5: 30}[count]
    small = random.random() < 0.35
    extents = {}
    for name in names:
        size = f"n{name}"
        w.size(size, 4, 24 if small and count > 2 else high)
        extents[name] = size
    summed = random.sample(names, random.choice((1, 1, 2)) if count > 3 else 1)
    free = [name for name in names if name not in summed]
    if count == 2:
        left, right = list(names), summed
    else:
        cut = random.randint(1, len(free) - 1) if len(free) > 1 else 1
        left, right = free[:cut] + summed, free[cut:] + summed
    random.shuffle(left)
    random.shuffle(right)
    result = free[:]
    if random.random() < 0.3:
        random.shuffle(result)
    w.array("C", type, *(extents[name] for name in result))
    w.array("A", type, *(extents[name] for name in left))
    w.array("B", type, *(extents[name] for name in right))
    target, term = w.at("C", *result), f"{w.at('A', *left)} * {w.at('B', *right)}"
    outer = [(name, "0", extents[name]) for name in free]
    inner = [(name, "0", extents[name]) for name in summed]
    work = 2.0
    for name in names:
        work *= w.sizes[extents[name]]
    form = random.choice(("update", "zero", "scalar", "order"))
    if form == "order":
        order = outer + inner
        random.shuffle(order)
        return w.nest("contraction", loops(order, f"{target} += {term};"), work)
    if form == "scalar":
        body = f"{type} s = {_zero(type)};\n{loops(inner, f's += {term};')}\n{target} = s;"
    elif form == "zero":
        body = f"{target} = {_zero(type)};\n{loops(inner, f'{target} += {term};')}"
    else:
        body = loops(inner, f"{target} += {_number(random, type)} * {term};")
    return w.nest("contraction", loops(outer, body), work)


def reduction(w: Writer) -> Nest:
    """Sums, products of vectors, maxima, norms; of all, of rows or of columns."""
    random = w.random
    type = random.choice((*_FLOATS, "int"))
    h, v = w.size("h", 4, 3000), w.size("w", 4, 3000)
    w.array("r", type, "h + w")
    w.array("a", type, "h", "w")
    w.array("b", type, "h", "w")
    a, b = w.at("a", "i", "j"), w.at("b", "i", "j")
    what = random.choice((a, f"{a} * {b}", f"({a} - {b}) * ({a} - {b})"))
    add = f"s += {what};"
    if random.random() < 0.25:
        add = f"s = {a} > s ? {a} : s;"
    start = f"{type} s = {_zero(type)};"
    form = random.choice(("all", "rows", "columns", "columns inside"))
    if form == "all":
        body = f"{start}\n{loops([('i', '0', 'h'), ('j', '0', 'w')], add)}\nr[0] = s;"
    elif form == "rows":
        body = loop("i", "0", "h", f"{start}\n{loop('j', '0', 'w', add)}\nr[i] = s;")
    elif form == "columns":
        body = loop("j", "0", "w", f"{start}\n{loop('i', '0', 'h', add)}\nr[j] = s;")
    else:
        body = loops([("i", "0", "h"), ("j", "0", "w")], f"r[j] += {what};")
    return w.nest("reduction", body, 2.0 * h * v)


def scan(w: Writer) -> Nest:
    """Prefix sums and recurrences along rows or columns."""
    random = w.random
    type = random.choice(_FLOATS)
    h, v = w.size("h", 4, 2000), w.size("w", 4, 2000)
    w.array("a", type, "h", "w")
    w.array("b", type, "h", "w")
    c = _number(random, type)
    if random.random() < 0.5:
        ranges = [("i", "0", "h"), ("j", "1", "w")]
        body = f"{w.at('a', 'i', 'j')} = {c} * {w.at('a', 'i', 'j - 1')} + {w.at('b', 'i', 'j')};"
    else:
        ranges = [("i", "1", "h"), ("j", "0", "w")]
        if random.random() < 0.3:
            ranges.reverse()
        body = f"{w.at('a', 'i', 'j')} = {c} * {w.at('a', 'i - 1', 'j')} + {w.at('b', 'i', 'j')};"
    return w.nest("scan", loops(ranges, body), 2.0 * h * v)


def normalisation(w: Writer) -> Nest:
    """Softmax, layer normalisation, scaling to the largest element; of rows or columns."""
    random = w.random
    type = random.choice(_FLOATS)
    h, v = w.size("h", 4, 1500), w.size("w", 4, 1500)
    w.array("y", type, "h", "w")
    w.array("x", type, "h", "w")
    x, y = w.at("x", "i", "j"), w.at("y", "i", "j")
    f = "f" if type == "float" else ""
    name, size = ("j", "w") if random.random() < 0.75 else ("i", "h")
    outer = ("i", "h") if name == "j" else ("j", "w")

    def inside(text: str) -> str:
        return loop(name, "0", size, text)

    form = random.choice(("softmax", "layer", "largest"))
    if form == "softmax":
        body = (f"{type} m = 0;\n" + inside(f"m = {x} > m ? {x} : m;")
                + f"\n{type} s = 0;\n" + inside(f"{y} = exp{f}({x} - m);\ns += {y};")
                + "\n" + inside(f"{y} = {y} / s;"))  # fmt: skip
    elif form == "layer":
        body = (f"{type} m = 0;\n" + inside(f"m += {x};") + f"\nm /= {size};\n{type} s = 0;\n"
                + inside(f"s += ({x} - m) * ({x} - m);")
                + f"\n{type} d = 1 / sqrt{f}(s / {size} + {_number(random, type)});\n"
                + inside(f"{y} = ({x} - m) * d;"))  # fmt: skip
    else:
        body = (f"{type} m = 0;\n" + inside(f"m = fabs{f}({x}) > m ? fabs{f}({x}) : m;")
                + "\n" + inside(f"{y} = {x} / (m + {_number(random, type)});"))  # fmt: skip
    work = 6.0 * h * v
    return w.nest("normalisation", loop(outer[0], "0", outer[1], body), work, "#include <math.h>")


def stencil(w: Writer) -> Nest:
    """Steps in time on a line, a plane or a room; two arrays, or in place."""
    random = w.random
    type = random.choice(_FLOATS)
    rank = random.choice((1, 2, 2, 3))
    t = w.size("t", 2, 100)
    limit = {1: 200_000, 2: 800, 3: 100}[rank]
    names = ["i", "j", "k"][:rank]
    cells = 1.0
    for name in names:
        cells *= w.size(f"n{name}", 8, limit)
    sizes = [f"n{name}" for name in names]
    w.array("a", type, *sizes)
    in_place = random.random() < 0.25
    if not in_place:
        w.array("b", type, *sizes)
    places = [tuple(names)]
    for axis in range(rank):
        for d in (-1, 1):
            places.append(tuple(_plus(n, d if m == axis else 0) for m, n in enumerate(names)))
    scale = _number(random, type)

    def step(target: str, source: str) -> str:
        total = " + ".join(w.at(source, *place) for place in places)
        ranges = [(name, "1", f"n{name} - 1") for name in names]
        return loops(ranges, f"{w.at(target, *names)} = {scale} * ({total});")

    if in_place:
        body = step("a", "a")
    elif random.random() < 0.5:
        ranges = [(name, "1", f"n{name} - 1") for name in names]
        copy = loops(ranges, f"{w.at('a', *names)} = {w.at('b', *names)};")
        body = step("b", "a") + "\n" + copy
    else:
        body = step("b", "a") + "\n" + step("a", "b")
    return w.nest("stencil", loop("s", "0", "t", body), 2.0 * t * cells * len(places))


def _near(w: Writer, array: str, down: int, right: int) -> str:
    """An element near that of the iteration."""
    return w.at(array, _plus("y", down), _plus("x", right))


def pipeline(w: Writer) -> Nest:
    """Stages on images: blurs along an axis, points, differences; each reads the one before."""
    random = w.random
    type = random.choice(_FLOATS)
    stages = random.randint(2, 8)
    h, v = w.size("h", 8, 1500), w.size("w", 8, 1500)
    for number in range(stages + 1):
        w.array(f"s{number}", type, "h", "w")
    parts = []
    for number in range(stages):
        source = partial(_near, w, f"s{number}")
        c = _number(random, type)
        value = random.choice((
            f"({source(0, -1)} + {source(0, 0)} + {source(0, 1)}) * {c}",
            f"({source(-1, 0)} + {source(0, 0)} + {source(1, 0)}) * {c}",
            f"{source(0, 0)} * {source(0, 0)} + {c}",
            f"{source(0, 1)} - {source(0, -1)}",
            f"{source(0, 0)} > {c} ? {source(0, 0)} : {c}",
        ))  # fmt: skip
        edge = number + 1
        ranges = [("y", str(edge), f"h - {edge}"), ("x", str(edge), f"w - {edge}")]
        parts.append(loops(ranges, f"{w.at(f's{number + 1}', 'y', 'x')} = {value};"))
    return w.nest("pipeline", "\n".join(parts), 3.0 * stages * h * v)


def dynamic_programming(w: Writer) -> Nest:
    """Edit distance, longest common part, shortest paths, knapsack, in int or float."""
    random = w.random
    form = random.choice(("edit", "longest", "paths", "knapsack"))
    if form == "paths":
        type = random.choice(("int", "float"))
        n = w.size("n", 8, 500)
        w.array("d", type, "n", "n")
        way = f"{w.at('d', 'i', 'k')} + {w.at('d', 'k', 'j')}"
        here = w.at("d", "i", "j")
        body = f"{here} = {way} < {here} ? {way} : {here};"
        if random.random() < 0.5:
            body = f"if ({way} < {here})\n{here} = {way};"
        ranges = [(name, "0", "n") for name in "kij"]
        return w.nest("dynamic", loops(ranges, body), 2.0 * n**3)
    n, m = w.size("n", 8, 3000), w.size("m", 8, 3000)
    w.array("t", "int", "n + 1", "m + 1")
    up, left, corner = (w.at("t", *p) for p in (("i - 1", "j"), ("i", "j - 1"), ("i - 1", "j - 1")))
    here = w.at("t", "i", "j")
    ranges = [("i", "1", "n + 1"), ("j", "1", "m + 1")]
    if form == "knapsack":
        w.array("value", "int", "n")
        body = f"{here} = {up} > {corner} + value[i - 1] ? {up} : {corner} + value[i - 1];"
        return w.nest("dynamic", loops(ranges, body), 3.0 * n * m)
    w.array("x", "int", "n", limit=4)
    w.array("y", "int", "m", limit=4)
    if form == "longest":
        body = (f"if (x[i - 1] == y[j - 1])\n{here} = {corner} + 1;\nelse\n"
                f"{here} = {up} > {left} ? {up} : {left};")  # fmt: skip
    else:
        body = (f"int c = {corner} + (x[i - 1] != y[j - 1]);\nint u = {up} + 1;\n"
                f"int l = {left} + 1;\n"
                f"int b = u < l ? u : l;\n{here} = c < b ? c : b;")  # fmt: skip
    return w.nest("dynamic", loops(ranges, body), 6.0 * n * m)


def table(w: Writer) -> Nest:
    """Values looked up in a table, and histograms."""
    random = w.random
    h, v = w.size("h", 8, 2000), w.size("w", 8, 2000)
    w.array("a", "unsigned char", "h", "w", limit=255)
    ranges = [("i", "0", "h"), ("j", "0", "w")]
    if random.random() < 0.5:
        w.array("counts", "int", "256")
        body = f"counts[{w.at('a', 'i', 'j')}] += 1;"
    else:
        type = random.choice(("unsigned char", "float", "int"))
        w.array("b", type, "h", "w")
        w.array("values", type, "256")
        body = f"{w.at('b', 'i', 'j')} = values[{w.at('a', 'i', 'j')}];"
    return w.nest("table", loops(ranges, body), 2.0 * h * v)


def triangular(w: Writer) -> Nest:
    """Triangular solves with one or many right sides, factorisations, triangular products."""
    random = w.random
    type = random.choice(_FLOATS)
    form = random.choice(("solve", "solve many", "factor", "product", "rank update"))
    n = w.size("n", 8, 2000 if form == "solve" else 400)
    w.array("L", type, "n", "n")
    lower = w.at("L", "i", "j")
    if form == "solve":
        w.array("x", type, "n")
        body = (
            loop("j", "0", "i", f"x[i] -= {lower} * x[j];")
            + f"\nx[i] /= {w.at('L', 'i', 'i')} + 1;"
        )
        return w.nest("triangular", loop("i", "0", "n", body), float(n) * n)
    if form == "factor":
        inner = loop("k", "0", "j", f"{lower} -= {w.at('L', 'i', 'k')} * {w.at('L', 'j', 'k')};")
        diagonal = loop("k", "0", "i", f"{w.at('L', 'i', 'i')} -= "
                        f"{w.at('L', 'i', 'k')} * {w.at('L', 'i', 'k')} / n;")  # fmt: skip
        body = loop("j", "0", "i", f"{inner}\n{lower} /= {w.at('L', 'j', 'j')} + n;")
        return w.nest("triangular", loop("i", "0", "n", f"{body}\n{diagonal}"), n**3 / 3)
    m = w.size("m", 4, 400)
    w.array("B", type, "n", "m")
    if form == "solve many":
        body = loops([("j", "0", "i"), ("c", "0", "m")],
                     f"{w.at('B', 'i', 'c')} -= {lower} * {w.at('B', 'j', 'c')};")  # fmt: skip
        if random.random() < 0.4:
            body = loops([("c", "0", "m"), ("j", "0", "i")],
                         f"{w.at('B', 'i', 'c')} -= {lower} * {w.at('B', 'j', 'c')};")  # fmt: skip
        return w.nest("triangular", loop("i", "0", "n", body), float(n) * n * m)
    w.array("C", type, "n", "n" if form == "rank update" else "m")
    if form == "product":
        body = loops([("i", "0", "n"), ("c", "0", "m"), ("j", "0", "i + 1")],
                     f"{w.at('C', 'i', 'c')} += {lower} * {w.at('B', 'j', 'c')};")  # fmt: skip
        return w.nest("triangular", body, float(n) * n * m)
    body = loops([("i", "0", "n"), ("j", "0", "i + 1"), ("k", "0", "m")],
                 f"{w.at('C', 'i', 'j')} += {w.at('B', 'i', 'k')} * {w.at('B', 'j', 'k')};"
    )  # fmt: skip
    return w.nest("triangular", body, float(n) * n * m)


def mixed(w: Writer) -> Nest:
    """Complex products of real and imaginary parts, conversions, fixed-point numbers."""
    random = w.random
    type = random.choice(_FLOATS)
    form = random.choice(("complex", "complex pairs", "convert", "fixed"))
    h, v = w.size("h", 4, 2000), w.size("w", 4, 2000)
    ranges = [("i", "0", "h"), ("j", "0", "w")]
    if form == "complex pairs":
        for name in "abc":
            w.array(name, type, "h", "w", "2")
        re = {name: w.at(name, "i", "j", "0") for name in "abc"}
        im = {name: w.at(name, "i", "j", "1") for name in "abc"}
    elif form == "complex":
        for name in ("ar", "ai", "br", "bi", "cr", "ci"):
            w.array(name, type, "h", "w")
        re = {name: w.at(name + "r", "i", "j") for name in "abc"}
        im = {name: w.at(name + "i", "i", "j") for name in "abc"}
    if form.startswith("complex"):
        body = (f"{re['c']} = {re['a']} * {re['b']} - {im['a']} * {im['b']};\n"
                f"{im['c']} = {re['a']} * {im['b']} + {im['a']} * {re['b']};")  # fmt: skip
    elif form == "convert":
        w.array("b", type, "h", "w")
        w.array("a", random.choice(("unsigned char", "short", "int")), "h", "w")
        body = f"{w.at('b', 'i', 'j')} = {w.at('a', 'i', 'j')} * {_number(random, type)};"
    else:
        w.array("b", "short", "h", "w")
        w.array("a", "short", "h", "w")
        body = (f"int s = {w.at('a', 'i', 'j')} * {random.randint(2, 99)}"
                f" + {w.at('b', 'i', 'j')};\n"
                f"{w.at('b', 'i', 'j')} = s >> 4;")  # fmt: skip
    return w.nest("mixed", loops(ranges, body), 5.0 * h * v)


def small_loops(w: Writer) -> Nest:
    """Points moved by small matrices, batches of small products."""
    random = w.random
    type = random.choice(_FLOATS)
    n = w.size("n", 4, 100_000)
    d = str(random.choice((2, 3, 4, 4, 6, 8)))
    if random.random() < 0.5:
        w.array("q", type, "n", d)
        w.array("p", type, "n", d)
        w.array("m", type, d, d)
        body = f"{type} s = {_zero(type)};\n" + loop(
            "b", "0", d, f"s += {w.at('m', 'a', 'b')} * {w.at('p', 'i', 'b')};"
        )
        body = loops([("i", "0", "n"), ("a", "0", d)], f"{body}\n{w.at('q', 'i', 'a')} = s;")
        return w.nest("small", body, 2.0 * n * int(d) ** 2)
    for name in "CAB":
        w.array(name, type, "n", d, d)
    c = w.at("C", "i", "a", "b")
    inner = loop("k", "0", d, f"{c} += {w.at('A', 'i', 'a', 'k')} * {w.at('B', 'i', 'k', 'b')};")
    body = loops([("i", "0", "n"), ("a", "0", d), ("b", "0", d)], f"{c} = {_zero(type)};\n{inner}")
    return w.nest("small", body, 2.0 * n * int(d) ** 3)


def selection(w: Writer) -> Nest:
    """Clamps, thresholds, minima of two arrays, borders by comparisons with counters."""
    random = w.random
    type = random.choice(_PIXELS)
    h, v = w.size("h", 8, 2500), w.size("w", 8, 2500)
    w.array("b", type, "h", "w")
    w.array("a", type, "h", "w")
    a, b = w.at("a", "i", "j"), w.at("b", "i", "j")
    low, high = (
        ("10", "60") if type not in _FLOATS else (_number(random, type), _number(random, type))
    )
    body = random.choice((
        f"{b} = {a} < {low} ? {low} : {a} > {high} ? {high} : {a};",
        f"{b} = {a} > {b} ? {a} : {b};",
        f"{b} = i < 2 || j < 2 || i > h - 3 || j > w - 3 ? 0 : {a};",
        f"if ({a} > {low})\n{b} = {a};",
        f"{b} = {a} > {low} ? {a} - {low} : 0;",
    ))  # fmt: skip
    return w.nest("select", loops([("i", "0", "h"), ("j", "0", "w")], body), 3.0 * h * v)


def condition(w: Writer) -> Nest:
    """Sums and updates under conditions on the data."""
    random = w.random
    type = random.choice((*_FLOATS, "int"))
    h, v = w.size("h", 4, 2500), w.size("w", 4, 2500)
    w.array("r", type, "h")
    w.array("a", type, "h", "w")
    a = w.at("a", "i", "j")
    limit = "40" if type == "int" else _number(random, type)
    inner = random.choice((f"if ({a} > {limit})\ns += {a};", f"if ({a} > {limit})\ns++;",
                           f"s += {a} > {limit} ? {a} : {limit};"))  # fmt: skip
    body = f"{type} s = {_zero(type)};\n{loop('j', '0', 'w', inner)}\nr[i] = s;"
    return w.nest("condition", loop("i", "0", "h", body), 2.0 * h * v)


def elementwise(w: Writer) -> Nest:
    """Arithmetic on elements, with a row or a column broadcast, in the order of rows or not."""
    random = w.random
    type = random.choice(_FLOATS)
    h, v = w.size("h", 4, 3000), w.size("w", 4, 3000)
    w.array("c", type, "h", "w")
    w.array("a", type, "h", "w")
    size, index = random.choice((("h", "i"), ("w", "j")))
    w.array("x", type, size)
    a = w.at("a", "i", "j") if random.random() < 0.75 or h != v else w.at("a", "j", "i")
    body = f"{w.at('c', 'i', 'j')} = {a} * x[{index}] + {_number(random, type)};"
    if random.random() < 0.3:
        body = f"{w.at('c', 'i', 'j')} += {a} / (x[{index}] + 1);"
    ranges = [("i", "0", "h"), ("j", "0", "w")]
    if random.random() < 0.2:
        ranges.reverse()
    return w.nest("elements", loops(ranges, body), 2.0 * h * v)


def transposition(w: Writer) -> Nest:
    """A matrix transposed, or rows and columns swapped in a copy of three axes."""
    random = w.random
    type = random.choice(_FLOATS)
    if random.random() < 0.6:
        n, m = w.size("n", 8, 3000), w.size("m", 8, 3000)
        w.array("b", type, "m", "n")
        w.array("a", type, "n", "m")
        body = f"{w.at('b', 'j', 'i')} = {w.at('a', 'i', 'j')};"
        return w.nest("transpose", loops([("i", "0", "n"), ("j", "0", "m")], body), 1.0 * n * m)
    sizes = [w.size(name, 4, 200) for name in ("n", "m", "o")]
    w.array("b", type, "o", "m", "n")
    w.array("a", type, "n", "m", "o")
    body = f"{w.at('b', 'k', 'j', 'i')} = {w.at('a', 'i', 'j', 'k')};"
    ranges = [("i", "0", "n"), ("j", "0", "m"), ("k", "0", "o")]
    return w.nest("transpose", loops(ranges, body), 1.0 * sizes[0] * sizes[1] * sizes[2])


def interactions(w: Writer) -> Nest:
    """All pairs of points: distances, forces."""
    random = w.random
    type = random.choice(_FLOATS)
    n = w.size("n", 8, 2000)
    for name in ("fx", "fy", "x", "y"):
        w.array(name, type, "n")
    f = "f" if type == "float" else ""
    body = (f"{type} dx = x[j] - x[i];\n{type} dy = y[j] - y[i];\n"
            f"{type} d = dx * dx + dy * dy + {_number(random, type)};\n"
            + ("" if random.random() < 0.5 else f"d = d * sqrt{f}(d);\n")
            + "sx += dx / d;\nsy += dy / d;")  # fmt: skip
    body = f"{type} sx = 0, sy = 0;\n{loop('j', '0', 'n', body)}\nfx[i] += sx;\nfy[i] += sy;"
    return w.nest("pairs", loop("i", "0", "n", body), 12.0 * n * n, "#include <math.h>")


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        each.__name__: each
        for each in (
            convolution, filter_1d, weighted_blur, contraction, reduction, scan, normalisation,
            stencil, pipeline, dynamic_programming, table, triangular, mixed, small_loops,
            selection, condition, elementwise, transposition, interactions,
        )
    }
)  # fmt: skip
