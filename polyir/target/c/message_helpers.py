"""The functions in emitted C that call MPI, and look at what it returns.

A message that is shorter than the receiver expects is an error, as one that is longer is for MPI.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from polyir.target.abi import PREFIX, Scalar
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


_NUMBERS: Final = ("MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN")
_BITS: Final = ("MPI_BAND", "MPI_BOR", "MPI_BXOR")
_FLOAT_FUNCTIONS: Final = {
    "maximumf": "maximum",
    "minimumf": "minimum",
    "maxnumf": "maxnum",
    "minnumf": "minnum",
}
_UNSIGNED: Final = {"maxui": ">", "minui": "<"}


def _combining(type: Scalar) -> Iterator[tuple[str, Helper | None]]:
    """The operations on elements of a type; with the function for one that MPI does not have."""
    yield from ((name, None) for name in _NUMBERS)
    if type.is_float:
        for name, stem in _FLOAT_FUNCTIONS.items():
            function = f"{PREFIX}{stem}_{type.suffix}"
            yield name, _combiner(name, type, f"{function}(from[k], to[k])", (function,))
        return
    yield from ((name, None) for name in _BITS)
    for name, operator in _UNSIGNED.items():
        unsigned = type.unsigned
        test = f"({unsigned.value})from[k] {operator} ({unsigned.value})to[k]"
        yield name, _combiner(name, type, f"{test} ? from[k] : to[k]", (), (unsigned,))


def _combiner(
    name: str, type: Scalar, value: str, calls: tuple[str, ...], types: tuple[Scalar, ...] = ()
) -> Helper:
    """A function that MPI calls for two arrays of partial results."""
    function = f"{MESSAGE_STEM}combine_{name}_{type.suffix}"
    text = (
        f"static void {function}(void *in, void *out, int *count, MPI_Datatype *type) {{\n"
        f"  const {type.value} *from = in;\n  {type.value} *to = out;\n  (void)type;\n"
        f"  for (int k = 0; k < *count; k++)\n    to[k] = {value};\n}}\n"
    )
    return Helper(function, text, _HEADERS, (), (type, *types), calls)


def _reductions(type: Scalar) -> Iterator[Helper]:
    """The functions that combine elements of all ranks, in the place of those of each."""
    for operation, combiner in _combining(type):
        for name in ("allreduce", "reduce"):
            function = f"{MESSAGE_STEM}{name}_{operation}_{type.suffix}"
            parameters = f"{type.value} *buffer, int64_t start, int32_t count"
            which = operation
            lines: list[str] = []
            if combiner is not None:
                which = "operation"
                created = f"MPI_Op_create({combiner.name}, 1, &operation)"
                lines += ["MPI_Op operation;", f'polyir_mpi_check({created}, "MPI_Op_create");']
            shared = f"count, {DATATYPES[type]}, {which}"
            if name == "reduce":
                parameters += ", int32_t root"
                lines.append("const int is_root = polyir_mpi_rank() == root;")
                lines.append("const void *from = is_root ? MPI_IN_PLACE : buffer + start;")
                called = f"MPI_Reduce(from, buffer + start, {shared}, root, polyir_mpi_ranks())"
            else:
                called = (
                    f"MPI_Allreduce(MPI_IN_PLACE, buffer + start, {shared}, polyir_mpi_ranks())"
                )
            lines.append(f'polyir_mpi_check({called}, "MPI_{name.capitalize()}");')
            if combiner is not None:
                lines.append('polyir_mpi_check(MPI_Op_free(&operation), "MPI_Op_free");')
            body = "\n".join(f"  {line}" for line in lines)
            yield Helper(
                function,
                f"static void {function}({parameters}) {{\n{body}\n}}\n",
                _HEADERS,
                (_CHECK, _RANK) if combiner is None else (_CHECK, _RANK, combiner),
                (type, Scalar.INT32, Scalar.INT64),
            )


def _all_helpers() -> Iterator[Helper]:
    yield from (_CHECK, _MALLOC, _RANK, _SIZE, _REQUESTS)
    waitall = f"{MESSAGE_STEM}waitall"
    yield Helper(waitall, "", needs=(_REQUESTS,))
    for type in DATATYPES:
        yield from _typed(type)
        if type is not Scalar.BOOL:
            yield from _reductions(type)


MESSAGE_HELPERS: Final = MappingProxyType({helper.name: helper for helper in _all_helpers()})
"""Every helper by its name."""
