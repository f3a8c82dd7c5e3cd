"""Small irregular loops in every shape that inspectors must deal with, and arguments for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from oracle import Argument


@dataclass(frozen=True)
class IrregularLoop:
    """A function `f` in MLIR's syntax, whose arguments go by their names.

    `counter` is that of the loop that is inspected, `first` its first value and `step` its step.
    """

    text: str
    counter: str = "i"
    first: int = 0
    step: int = 1

    @property
    def names(self) -> list[str]:
        """The names of the arguments."""
        signature = self.text[: self.text.index("{\n")]
        return re.findall(r"%(\w+):", signature)

    def arguments(self, random: np.random.Generator, size: int) -> dict[str, Argument]:
        """Random arguments for `size` iterations."""
        made = _arguments(random, size)
        return {name: made[name] for name in self.names}


def copies(arguments: Mapping[str, Argument]) -> dict[str, Argument]:
    """The same arguments in other memory."""
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


def _arguments(random: np.random.Generator, size: int) -> dict[str, Argument]:
    """Arguments of all names: numbers, index arrays, and arrays of `size` elements."""
    lengths = random.integers(0, 4, size)
    rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return {
        "n": size,
        "steps": 3,
        "on": True,
        "off": False,
        "p": random.integers(0, max(size, 1), size),
        "q": random.integers(0, max(size, 1), size),
        "short": random.integers(0, max(size, 1), size).astype(np.int32),
        "flags": random.integers(0, 2, size),
        "limits": np.array([min(2, size), size]),
        "rows": rows,
        "columns": random.integers(0, max(size, 1), rows[-1]),
        "A": random.random(size),
        "B": random.random(size),
        "fixed": random.random(16),
        "fixed_p": random.integers(0, 16, 16),
        "values": random.random(rows[-1]),
        "M": random.random((size, 3)),
        "two": random.random((2, size)),
        "sum": random.random(()),
        "moves": random.integers(0, max(size, 1), size),
    }


LOOPS = {
    "figure 15.15": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%pi] : memref<?xf64>
  }
  return
}"""),
    "steps": IrregularLoop(
        """
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 2 to %n step 3 {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i - 2] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%pi] : memref<?xf64>
  }
  return
}""",
        first=2,
        step=3,
    ),
    "negative counters": IrregularLoop(
        """
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = -3 to affine_map<(d0) -> (d0 - 3)>(%n) {
    %pi = affine.load %p[%i + 3] : memref<?xindex>
    %qi = affine.load %q[-%i + symbol(%n) - 4] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%pi] : memref<?xf64>
  }
  return
}""",
        first=-3,
    ),
    "several bounds": IrregularLoop("""
func.func @f(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %i = max affine_map<(d0) -> (0, d0 - 50)>(%n) to min affine_map<(d0) -> (d0, 30)>(%n) {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}"""),
    "bounds from memory": IrregularLoop(
        """
func.func @f(%limits: memref<2xindex>, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>,
             %q: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  affine.for %s = 0 to %steps {
    %low = memref.load %limits[%c0] : memref<2xindex>
    %high = memref.load %limits[%c1] : memref<2xindex>
    scf.for %i = %low to %high step %c2 {
      %pi = memref.load %p[%i] : memref<?xindex>
      %qi = memref.load %q[%i] : memref<?xindex>
      %v = memref.load %A[%qi] : memref<?xf64>
      %w = memref.load %A[%pi] : memref<?xf64>
      %x = arith.subf %v, %w : f64
      memref.store %x, %A[%pi] : memref<?xf64>
    }
  }
  return
}""",
        first=2,
        step=2,
    ),
    "conditional": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %flags: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %n {
    %flag = affine.load %flags[%i] : memref<?xindex>
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    %is = arith.cmpi eq, %flag, %c0 : index
    scf.if %is {
      %w = arith.addf %v, %v : f64
      memref.store %w, %A[%pi] : memref<?xf64>
    } else {
      affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
        %w = affine.load %A[%i - 3] : memref<?xf64>
        memref.store %w, %A[%pi] : memref<?xf64>
      }
    }
  }
  return
}"""),
    "chosen address": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>,
             %flags: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %n {
    %flag = affine.load %flags[%i] : memref<?xindex>
    %is = arith.cmpi eq, %flag, %c0 : index
    %place = scf.if %is -> index {
      %pi = affine.load %p[%i] : memref<?xindex>
      scf.yield %pi : index
    } else {
      %qi = affine.load %q[%i] : memref<?xindex>
      scf.yield %qi : index
    }
    %v = affine.load %A[%i] : memref<?xf64>
    %w = memref.load %A[%place] : memref<?xf64>
    %x = arith.addf %v, %w : f64
    memref.store %x, %A[%place] : memref<?xf64>
  }
  return
}"""),
    "rows": IrregularLoop("""
func.func @f(%n: index, %steps: index, %rows: memref<?xindex>, %columns: memref<?xindex>,
             %values: memref<?xf64>, %A: memref<?xf64>, %B: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %low = affine.load %rows[%i] : memref<?xindex>
      %high = affine.load %rows[%i + 1] : memref<?xindex>
      %b = affine.load %B[%i] : memref<?xf64>
      %sum = scf.for %k = %low to %high step %c1 iter_args(%part = %b) -> f64 {
        %c = memref.load %columns[%k] : memref<?xindex>
        %x = memref.load %A[%c] : memref<?xf64>
        %v = memref.load %values[%k] : memref<?xf64>
        %m = arith.mulf %v, %x : f64
        %r = arith.subf %part, %m : f64
        scf.yield %r : f64
      }
      affine.store %sum, %A[%i] : memref<?xf64>
    }
  }
  return
}"""),
    "parallel loops inside": IrregularLoop("""
func.func @f(%n: index, %M: memref<?x3xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    affine.parallel (%j) = (0) to (min(3, symbol(%n))) {
      %v = memref.load %M[%qi, %j] : memref<?x3xf64>
      %w = arith.addf %v, %v : f64
      memref.store %w, %M[%pi, %j] : memref<?x3xf64>
    }
    scf.parallel (%j, %k) = (%c0, %c1) to (%c1, %c3) step (%c1, %c1) {
      %v = memref.load %M[%pi, %k] : memref<?x3xf64>
      %w = arith.mulf %v, %v : f64
      memref.store %w, %M[%pi, %k] : memref<?x3xf64>
    }
  }
  return
}"""),
    "two dimensions": IrregularLoop("""
func.func @f(%n: index, %M: memref<?x3xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %column = arith.remui %qi, %c3 : index
    %v = memref.load %M[%qi, %column] : memref<?x3xf64>
    %w = affine.load %M[%i, 1] : memref<?x3xf64>
    %x = arith.addf %v, %w : f64
    memref.store %x, %M[%pi, %column] : memref<?x3xf64>
  }
  return
}"""),
    "index arrays of 32 bits": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %short: memref<?xi32>) {
  affine.for %i = 0 to %n {
    %narrow = affine.load %short[%i] : memref<?xi32>
    %pi = arith.index_cast %narrow : i32 to index
    %v = affine.load %A[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%pi] : memref<?xf64>
  }
  return
}"""),
    "private memory": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %mine = memref.alloca() : memref<2xf64>
    %v = affine.load %A[%i] : memref<?xf64>
    affine.store %v, %mine[0] : memref<2xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %mine[1] : memref<2xf64>
    %pi = affine.load %p[%i] : memref<?xindex>
    affine.for %j = 0 to 2 {
      %x = affine.load %mine[%j] : memref<2xf64>
      %y = memref.load %A[%pi] : memref<?xf64>
      %z = arith.subf %x, %y : f64
      memref.store %z, %A[%pi] : memref<?xf64>
    }
  }
  return
}"""),
    "two loops": IrregularLoop("""
func.func @f(%n: index, %steps: index, %A: memref<?xf64>, %B: memref<?xf64>,
             %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %qj = affine.load %q[%j] : memref<?xindex>
      %v = affine.load %A[%j] : memref<?xf64>
      %w = memref.load %B[%qj] : memref<?xf64>
      %x = arith.addf %v, %w : f64
      affine.store %x, %B[%j] : memref<?xf64>
    }
  }
  return
}"""),
    "result": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %sum: memref<f64>) -> f64 {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
    %old = affine.load %sum[] : memref<f64>
    %new = arith.addf %old, %v : f64
    affine.store %new, %sum[] : memref<f64>
  }
  %result = affine.load %sum[] : memref<f64>
  return %result : f64
}"""),
    "index array changed between": IrregularLoop("""
func.func @f(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>,
             %moves: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %pj = affine.load %p[%j] : memref<?xindex>
      %moved = memref.load %moves[%pj] : memref<?xindex>
      affine.store %moved, %p[%j] : memref<?xindex>
    }
  }
  return
}"""),
    "chain of index arrays": IrregularLoop("""
func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %qi = affine.load %q[%i] : memref<?xindex>
    %pq = memref.load %p[%qi] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    %w = memref.load %A[%pq] : memref<?xf64>
    %x = arith.addf %v, %w : f64
    memref.store %x, %A[%pq] : memref<?xf64>
  }
  return
}"""),
    "static sizes": IrregularLoop("""
func.func @f(%fixed: memref<16xf64>, %fixed_p: memref<16xindex>) {
  affine.for %i = 0 to 16 {
    %pi = affine.load %fixed_p[%i] : memref<16xindex>
    %v = affine.load %fixed[%i] : memref<16xf64>
    memref.store %v, %fixed[%pi] : memref<16xf64>
  }
  return
}"""),
    "inside a parallel loop": IrregularLoop("""
func.func @f(%n: index, %two: memref<2x?xf64>, %p: memref<?xindex>) {
  affine.parallel (%b) = (0) to (2) {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %two[%b, %i] : memref<2x?xf64>
      %w = arith.addf %v, %v : f64
      memref.store %w, %two[%b, %pi] : memref<2x?xf64>
    }
  }
  return
}"""),
    "inside conditionals": IrregularLoop("""
func.func @f(%n: index, %on: i1, %off: i1, %A: memref<?xf64>, %p: memref<?xindex>,
             %q: memref<?xindex>) {
  scf.if %on {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
  }
  scf.if %off {
    scf.yield
  } else {
    affine.for %j = 0 to %n {
      %qj = affine.load %q[%j] : memref<?xindex>
      %v = affine.load %A[%j] : memref<?xf64>
      %w = arith.addf %v, %v : f64
      memref.store %w, %A[%qj] : memref<?xf64>
    }
  }
  return
}"""),
    "an array of indices as data": IrregularLoop("""
func.func @f(%n: index, %moves: memref<?xindex>, %p: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %moves[%i] : memref<?xindex>
    %w = arith.addi %v, %pi : index
    memref.store %w, %moves[%pi] : memref<?xindex>
  }
  return
}"""),
}
"""Loops with wavefronts, by what is special about them."""
