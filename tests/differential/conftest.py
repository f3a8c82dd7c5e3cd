"""What the differential tests of kernels are compared with."""

from functools import cache
from pathlib import Path

import pytest
from kernels import KERNELS
from oracle import Oracle


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory):
    """The original kernel's results by MLIR's own lowering, computed once a data set."""
    folder: Path = tmp_path_factory.mktemp("oracle")

    @cache
    def results(name: str, data_set: str) -> tuple[object, ...]:
        kernel = KERNELS[name]
        arguments = kernel.make_arguments(data_set)
        Oracle(kernel.path.read_text(), folder)(kernel.function, *arguments)
        return arguments

    return results
