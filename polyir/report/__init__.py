"""Reports of whole compilations, for people who want to understand one."""

from __future__ import annotations

from polyir.diagnostics import MissingPackageError
from polyir.report.recording import Recording


def report_page(recording: Recording) -> str:
    """A compilation as one HTML page that needs nothing else.

    Raises `MissingPackageError` if the packages of `polyir[report]` are not installed.
    """
    try:
        from polyir.report.page import page
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe", "pygments"):
            raise
        wanted = f"a report needs {error.name} (pip install 'polyir[report]')"
        raise MissingPackageError(wanted) from None
    from polyir.report.contents import contents_of

    return page(contents_of(recording))
