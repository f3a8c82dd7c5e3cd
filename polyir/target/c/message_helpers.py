"""The functions in emitted C that call MPI, and look at what it returns.

A message that is shorter than the receiver expects is an error, as one that is longer is for MPI.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.helpers import MESSAGE_STEM, Helper

DATATYPES: Final = {
    Scalar.DOUBLE: "MPI_DOUBLE",
    Scalar.FLOAT: "MPI_FLOAT",
    Scalar.INT8: "MPI_INT8_T",
    Scalar.INT16: "MPI_INT16_T",
    Scalar.INT32: "MPI_INT32_T",
    Scalar.INT64: "MPI_INT64_T",
    Scalar.BOOL: "MPI_C_BOOL",
}

_HEADERS: Final = ("mpi.h", "stdio.h", "stdlib.h")

_CHECK: Final = Helper(
    f"{MESSAGE_STEM}check",
    """\
// The ranks that run the program; the caller may set others. Files of one program share it.
__attribute__((weak)) MPI_Comm polyir_communicator = MPI_COMM_NULL;

static MPI_Comm polyir_mpi_ranks(void) {
  return polyir_communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : polyir_communicator;
}

static void polyir_mpi_fail(const char *what, const char *why) {
  int rank = -1;
  MPI_Comm_rank(polyir_mpi_ranks(), &rank);
  fprintf(stderr, "error: rank %d: %s: %s\\n", rank, what, why);
  MPI_Abort(polyir_mpi_ranks(), 1);
}

static void polyir_mpi_check(int code, const char *what) {
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    polyir_mpi_fail(what, text);
  }
}

static void polyir_mpi_check_count(MPI_Status *status, MPI_Datatype type, int expected) {
  int count = 0;
  polyir_mpi_check(MPI_Get_count(status, type, &count), "MPI_Get_count");
  if (count != expected) {
    char text[99];
    snprintf(text, sizeof text, "%d elements came from rank %d, and %d were expected", count,
             status->MPI_SOURCE, expected);
    polyir_mpi_fail("message", text);
  }
}
""",
    _HEADERS,
)

_MALLOC: Final = Helper(
    f"{MESSAGE_STEM}malloc",
    """\
static void *polyir_mpi_malloc(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory) {
    char text[99];
    snprintf(text, sizeof text, "there is no memory for %llu bytes", (unsigned long long)size);
    polyir_mpi_fail("malloc", text);
  }
  return memory;
}
""",
    _HEADERS,
    (_CHECK,),
)

_RANK: Final = Helper(
    f"{MESSAGE_STEM}rank",
    """\
static int32_t polyir_mpi_rank(void) {
  int rank = 0;
  polyir_mpi_check(MPI_Comm_rank(polyir_mpi_ranks(), &rank), "MPI_Comm_rank");
  return rank;
}
""",
    _HEADERS,
    (_CHECK,),
    (Scalar.INT32,),
)

_SIZE: Final = Helper(
    f"{MESSAGE_STEM}size",
    """\
static int32_t polyir_mpi_size(void) {
  int size = 0;
  polyir_mpi_check(MPI_Comm_size(polyir_mpi_ranks(), &size), "MPI_Comm_size");
  return size;
}
""",
    _HEADERS,
    (_CHECK,),
    (Scalar.INT32,),
)

_REQUESTS: Final = Helper(
    f"{MESSAGE_STEM}requests",
    """\
// Messages on their way, and how many elements are expected; none are of a message that is sent.
typedef struct {
  MPI_Request request;
  MPI_Datatype type;
  int expected;
} polyir_mpi_request;

static int64_t polyir_mpi_requests(int32_t count) {
  polyir_mpi_request *requests = polyir_mpi_malloc((size_t)count * sizeof *requests);
  return (int64_t)(intptr_t)requests;
}

static void polyir_mpi_waitall(int64_t handle, int32_t count) {
  polyir_mpi_request *requests = (polyir_mpi_request *)(intptr_t)handle;
  for (int32_t k = 0; k < count; k++) {
    MPI_Status status;
    polyir_mpi_check(MPI_Wait(&requests[k].request, &status), "MPI_Wait");
    if (requests[k].expected >= 0)
      polyir_mpi_check_count(&status, requests[k].type, requests[k].expected);
  }
  free(requests);
}
""",
    _HEADERS,
    (_MALLOC,),
    (Scalar.INT32, Scalar.INT64),
)


def _typed(type: Scalar) -> Iterator[Helper]:
    """The functions that send and receive elements of a type, from a place in a buffer on."""
    for name, has_requests in (("send", False), ("recv", False), ("isend", True), ("irecv", True)):
        is_sent = name.endswith("send")
        parameters = f"{'const ' if is_sent else ''}{type.value} *buffer, int64_t start, "
        parameters += f"int32_t count, int32_t {'target' if is_sent else 'source'}, int32_t tag"
        peer = "target" if is_sent else "source"
        function = f"MPI_{name.capitalize()}"
        arguments = f"buffer + start, count, {DATATYPES[type]}, {peer}, tag, polyir_mpi_ranks()"
        lines: list[str] = []
        if has_requests:
            parameters += ", int64_t handle, int32_t k"
            lines.append(
                "polyir_mpi_request *request = (polyir_mpi_request *)(intptr_t)handle + k;"
            )
            lines.append(f"request->type = {DATATYPES[type]};")
            lines.append(f"request->expected = {'-1' if is_sent else 'count'};")
            arguments += ", &request->request"
        elif not is_sent:
            lines.append("MPI_Status status;")
            arguments += ", &status"
        lines.append(f'polyir_mpi_check({function}({arguments}), "{function}");')
        if not is_sent and not has_requests:
            lines.append(f"polyir_mpi_check_count(&status, {DATATYPES[type]}, count);")
        body = "\n".join(f"  {line}" for line in lines)
        yield Helper(
            f"{MESSAGE_STEM}{name}_{type.suffix}",
            f"static void {MESSAGE_STEM}{name}_{type.suffix}({parameters}) {{\n{body}\n}}\n",
            _HEADERS,
            (_REQUESTS,) if has_requests else (_CHECK,),
            (type, Scalar.INT32, Scalar.INT64),
        )


def _all_helpers() -> Iterator[Helper]:
    yield from (_CHECK, _MALLOC, _RANK, _SIZE, _REQUESTS)
    waitall = f"{MESSAGE_STEM}waitall"
    yield Helper(waitall, "", needs=(_REQUESTS,))
    for type in DATATYPES:
        yield from _typed(type)


MESSAGE_HELPERS: Final = MappingProxyType({helper.name: helper for helper in _all_helpers()})
"""Every helper by its name."""
