"""The pass `register-tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import BLOCK_ROWS, BLOCK_VECTORS, BLOCK_WIDTH, JAMMED_ROWS
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.register_tile import RegisterTileOptions, register_tile


@dataclass(frozen=True)
class RegisterTilePass(RegisterTileOptions, ScopPass):
    """Cut innermost bands into blocks that fit into registers, and choose their vector loops.

    A block has `rows` iterations of one loop and `vectors` times `width` of another one, along
    which stores are to successive elements. `vectorize` makes vector code of it. Statements that
    share the loops of a tile get loops of their own, as far as the dependences allow. With `loop`,
    an address, only bands from that loop on get blocks. With `masked`, blocks with rows at borders
    are not apart from complete ones. `tiles` are three sizes, for the rows, the vector loop and all
    others: loops over tiles of blocks are added, so that operands fit into caches (see `pack`).
    `shared_tiles` are the sizes where tiles of rows are parallel inside the others: threads can
    then share what is packed for the vector loop.
    With `reassociate`, a loop that updates one element may run in vectors of partial results.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]"
            permutable coincident [true, true, false]

    After `--register-tile="rows=8 vectors=3 width=8"`:

        poly.band "[{ S0[i, j, k] -> [(j - (j) mod 24)] }, { S0[i, j, k] -> [(i - (i) mod 8)] }]"
            permutable coincident [true, true] {
          poly.band "[{ S0[i, j, k] -> [(k)] }]"
              options "{ isolate[[tj, ti] -> [k]] : ... }" {
            poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }]"
                permutable coincident [true, true]
                attributes [[#poly.jam<8>], [#poly.vector<8>]]
          }
        }
    """

    name = "register-tile"

    rows: int = BLOCK_ROWS
    vectors: int = BLOCK_VECTORS
    width: int = BLOCK_WIDTH

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return register_tile(scop.schedule, dependences, scop.statements, self, JAMMED_ROWS)
