"""Python functions that isl calls back."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, Self, TypeVar, cast

import islpy as isl

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Callbacks:
    """Functions for isl to call inside a `with` block, which raises what they raise.

        with Callbacks() as callbacks:
            build.set_at_each_domain(callbacks.guarded(note))

    Of an exception that reaches islpy from a callback it prints the traceback; isl then fails
    without a reason.
    """

    def __init__(self) -> None:
        self._raised: list[Exception] = []

    def guarded(self, callback: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        """`callback`, for isl: it never raises."""

        def answer(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            try:
                return callback(*args, **kwargs)
            except Exception as error:
                self._raised.append(error)
                # islpy hands isl a null pointer, with which isl gives up.
                return cast(Answer, None)

        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._raised and (error is None or isinstance(error, isl.Error)):
            raise self._raised[0] from error
