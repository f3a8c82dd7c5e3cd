"""Schedules in options and in files."""

from __future__ import annotations

from pathlib import Path

from polyir.diagnostics import OptionError
from polyir.transform.given_schedule import GivenSchedule, parse_schedule


def read_schedule(pass_name: str, text: str | None, file: str | None) -> GivenSchedule:
    """The schedule of the options `schedule` and `file` of a pass, just one of which is set.

    Raises `OptionError` if that is not so, if the file cannot be read, or for malformed text.
    """
    if (text is None) == (file is None):
        raise OptionError(
            f"pass '{pass_name}' needs one schedule: either "
            "schedule='{ S0[i, j] -> [j, i] }' or file=schedule.isl"
        )
    if text is not None:
        return parse_schedule(text)
    assert file is not None
    try:
        return parse_schedule(Path(file).read_text())
    except OSError as error:
        raise OptionError(f"cannot read the schedule '{file}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"the schedule '{file}' is not UTF-8 text") from None
