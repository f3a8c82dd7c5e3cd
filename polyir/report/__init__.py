"""Reports of whole compilations, for people who want to understand one."""

from __future__ import annotations

from polyir.base.diagnostics import MissingPackageError
from polyir.report.recording import Recording


def require_packages() -> None:
    """Raise `MissingPackageError` if the packages of `polyir[report]` are not installed."""
    try:
        import polyir.report.page  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe", "pygments"):
            raise
        wanted = f"a report needs {error.name} (pip install 'polyir[report]')"
        raise MissingPackageError(wanted) from None


def report_page(recording: Recording) -> str:
    """A compilation as one HTML page that needs nothing else; raises as `require_packages`."""
    require_packages()
    from polyir.report.contents import contents_of
    from polyir.report.page import page

    return page(contents_of(recording))
