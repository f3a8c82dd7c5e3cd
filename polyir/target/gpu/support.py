"""The functions of `support.cu` and `support.c`, of which a file gets those that it calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from polyir.target.gpu.language import Language

_NAME: Final = re.compile(r"\b(?:polyir|POLYIR)_\w+")
_DEFINITION: Final = re.compile(
    r"^(?:static|extern|__attribute__|#define|\}).*?\b((?:polyir|POLYIR)_\w+)", re.MULTILINE
)
_FOR_CALLERS: Final = ("polyir_cuda_error", "polyir_opencl_error")


def support_text(language: Language, text: str) -> str:
    """The definitions that `text` needs, in their order; nothing if it needs none."""
    file = Path(__file__).with_name(language.words.support)
    paragraphs = file.read_text().strip().split("\n\n")
    places = {
        name: place
        for place, paragraph in enumerate(paragraphs)
        for name in _DEFINITION.findall(paragraph)
    }
    needed: set[int] = set()
    work = [name for name in _NAME.findall(text) if name in places]
    if work:
        work += [name for name in _FOR_CALLERS if name in places]
    while work:
        place = places.get(work.pop())
        if place is not None and place not in needed:
            needed.add(place)
            work += _NAME.findall(paragraphs[place])
    return "\n\n".join(paragraphs[place] for place in sorted(needed))
