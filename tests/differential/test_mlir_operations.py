"""Views, coordinates, `scf.while` and vectors in both back ends: the bits that MLIR gives."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, MLIR_OPT, Array, Oracle, mlir_opt_available
from suites import in_turn

import polyir
from polyir.api import Backend
from polyir.pipeline import DEFAULT_PIPELINE
from polyir.runtime import compare_bits

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

CONSTANT_VIEW = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %V = memref.subview %A[2, 4] [8, 8] [1, 2] : memref<16x32xf64> to memref<8x8xf64, strided<[32, 2], offset: 68>>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %V[%i, %j] : memref<8x8xf64, strided<[32, 2], offset: 68>>
      %b = arith.addf %a, %a : f64
      affine.store %b, %V[%j, -%i + 7] : memref<8x8xf64, strided<[32, 2], offset: 68>>
    }
  }
  return
}
"""  # noqa: E501
SHIFTED_VIEWS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %V = memref.subview %A[%n, 3] [4, %n] [%two, %n] : memref<16x32xf64> to memref<4x?xf64, strided<[?, ?], offset: ?>>
  %W = memref.subview %V[1, 0] [2, %n] [1, %c1] : memref<4x?xf64, strided<[?, ?], offset: ?>> to memref<2x?xf64, strided<[?, ?], offset: ?>>
  %R = memref.subview %A[%n, 0] [1, 32] [1, 1] : memref<16x32xf64> to memref<32xf64, strided<[1], offset: ?>>
  %m = memref.dim %W, %c1 : memref<2x?xf64, strided<[?, ?], offset: ?>>
  scf.for %i = %c0 to %two step %c1 {
    affine.for %j = 0 to %m {
      %a = affine.load %V[%j floordiv 2, %j] : memref<4x?xf64, strided<[?, ?], offset: ?>>
      memref.store %a, %W[%i, %j] : memref<2x?xf64, strided<[?, ?], offset: ?>>
      affine.store %a, %R[%j * 5] : memref<32xf64, strided<[1], offset: ?>>
    }
  }
  return
}
"""  # noqa: E501
# Of two dimensions of size 1, the view keeps the first, then the last.
UNIT_DIMENSIONS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %B = memref.alloca() : memref<3x4x8xf64>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 8 {
        %a = affine.load %A[%i + %j * 3, %k] : memref<16x32xf64>
        affine.store %a, %B[%i, %j, %k] : memref<3x4x8xf64>
      }
    }
  }
  %V = memref.subview %B[1, 0, %n] [1, 4, 1] [1, 1, 1] : memref<3x4x8xf64> to memref<1x4xf64, strided<[32, 8], offset: ?>>
  %W = memref.subview %B[1, 0, %n] [1, 4, 1] [1, 1, 1] : memref<3x4x8xf64> to memref<4x1xf64, strided<[8, 1], offset: ?>>
  affine.for %j = 0 to 4 {
    %v = affine.load %V[0, %j] : memref<1x4xf64, strided<[32, 8], offset: ?>>
    affine.store %v, %A[0, %j] : memref<16x32xf64>
    %w = affine.load %W[%j, 0] : memref<4x1xf64, strided<[8, 1], offset: ?>>
    affine.store %w, %A[1, %j] : memref<16x32xf64>
  }
  return
}
"""  # noqa: E501
COPIED_VIEWS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %V = memref.subview %A[0, 0] [4, %n] [1, 1] : memref<16x32xf64> to memref<4x?xf64, strided<[32, 1]>>
  %W = memref.subview %A[8, %n] [4, %n] [2, 3] : memref<16x32xf64> to memref<4x?xf64, strided<[64, 3], offset: ?>>
  %C = memref.cast %W : memref<4x?xf64, strided<[64, 3], offset: ?>> to memref<4x?xf64, strided<[?, ?], offset: ?>>
  memref.copy %V, %C : memref<4x?xf64, strided<[32, 1]>> to memref<4x?xf64, strided<[?, ?], offset: ?>>
  return
}
"""  # noqa: E501
CONSTANT_BASIS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  affine.for %i = 0 to 512 {
    %at:3 = affine.delinearize_index %i into (%c4, %c4, %c8) : index, index, index
    %row = affine.apply affine_map<(d0, d1) -> (d0 mod 4 * 4 + d1)>(%at#0, %at#1)
    %old = memref.load %A[%row, %at#2] : memref<16x32xf64>
    %k = arith.index_cast %i : index to i64
    %x = arith.sitofp %k : i64 to f64
    %new = arith.addf %old, %x : f64
    memref.store %new, %A[%row, %at#2] : memref<16x32xf64>
  }
  return
}
"""
VARIABLE_BASIS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %c40 = arith.constant 40 : index
  affine.for %i = 0 to 40 {
    %minus = affine.apply affine_map<(d0) -> (d0 - 40)>(%i)
    %at:3 = affine.delinearize_index %minus into (%c40, %n, %n) : index, index, index
    %k = arith.index_cast %at#0 : index to i64
    %x = arith.sitofp %k : i64 to f64
    memref.store %x, %A[%at#1, %at#2] : memref<16x32xf64>
  }
  return
}
"""
WHILE = """
func.func @f(%A: memref<16x32xf64>, %n: index) -> (index, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 4.5 : f64
  %zero = arith.constant 0.0 : f64
  %r:2 = scf.while (%i = %c0, %s = %zero) : (index, f64) -> (index, f64) {
    %inside = arith.cmpi slt, %i, %n : index
    %low = arith.cmpf olt, %s, %limit : f64
    %more = arith.andi %inside, %low : i1
    scf.condition(%more) %i, %s : index, f64
  } do {
  ^bb0(%i: index, %s: f64):
    %a = memref.load %A[%i, %c1] : memref<16x32xf64>
    %t = arith.addf %s, %a : f64
    memref.store %s, %A[%i, %c1] : memref<16x32xf64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %t : index, f64
  }
  return %r#0, %r#1 : index, f64
}
"""
WHILE_WITH_OTHER_RESULTS = """
func.func @f(%A: memref<16x32xf64>, %n: index) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f64
  %r:2 = scf.while (%i = %c0, %j = %c9) : (index, index) -> (f64, index) {
    %a = memref.load %A[%i, %j] : memref<16x32xf64>
    memref.store %zero, %A[%i, %j] : memref<16x32xf64>
    %sum = arith.addi %i, %j : index
    %more = arith.cmpi slt, %i, %c9 : index
    scf.condition(%more) %a, %sum : f64, index
  } do {
  ^bb0(%a: f64, %sum: index):
    %inner = scf.while (%k = %c0) : (index) -> index {
      %again = arith.cmpi slt, %k, %n : index
      scf.condition(%again) %k : index
    } do {
    ^bb0(%k: index):
      memref.store %a, %A[%k, %sum] : memref<16x32xf64>
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %left = arith.subi %sum, %inner : index
    %i = arith.subi %sum, %left : index
    %up = arith.addi %i, %c1 : index
    %j = arith.remsi %left, %c9 : index
    %positive = arith.maxsi %j, %c0 : index
    %bounded = arith.minsi %up, %c9 : index
    %step = arith.addi %inner, %c1 : index
    %two = arith.cmpi sgt, %positive, %c0 : index
    %i2 = arith.select %two, %bounded, %c9 : index
    scf.yield %i2, %positive : index, index
  }
  return %r#0, %r#1 : f64, index
}
"""
# All of an array with other extents, which is the same memory.
RESHAPED_ARRAYS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %row = memref.collapse_shape %A [[0, 1]] : memref<16x32xf64> into memref<512xf64>
  %cube = memref.expand_shape %row [[0, 1, 2]] output_shape [8, 4, 16] : memref<512xf64> into memref<8x4x16xf64>
  %halves = memref.expand_shape %A [[0, 1], [2]] output_shape [2, 8, 32] : memref<16x32xf64> into memref<2x8x32xf64>
  affine.for %i = 0 to 512 {
    %a = affine.load %row[511 - %i] : memref<512xf64>
    %b = affine.load %A[%i floordiv 32, %i mod 32] : memref<16x32xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %row[%i] : memref<512xf64>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 16 {
        %a = affine.load %cube[7 - %i, %j, %k] : memref<8x4x16xf64>
        affine.store %a, %cube[%i, 3 - %j, %k] : memref<8x4x16xf64>
      }
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 32 {
      %a = affine.load %halves[0, %i, %j] : memref<2x8x32xf64>
      affine.store %a, %halves[1, 7 - %i, %j] : memref<2x8x32xf64>
    }
  }
  return
}
"""  # noqa: E501
RESHAPED_DYNAMIC_ARRAYS = """
func.func @f(%A: memref<16x32xf64>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = affine.apply affine_map<(d0) -> (d0 * 3)>(%n)
  %T = memref.alloc(%n) : memref<?x3x4xf64>
  %flat = memref.collapse_shape %T [[0, 1], [2]] : memref<?x3x4xf64> into memref<?x4xf64>
  %size = memref.dim %flat, %c0 : memref<?x4xf64>
  %blocks = memref.expand_shape %flat [[0, 1], [2]] output_shape [%n, 3, 4] : memref<?x4xf64> into memref<?x3x4xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<16x32xf64>
      affine.store %a, %flat[%i, 3 - %j] : memref<?x4xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 3 {
      affine.for %j = 0 to 4 {
        %a = affine.load %blocks[%i, %k, %j] : memref<?x3x4xf64>
        %b = affine.load %T[-%i + symbol(%n) - 1, %k, %j] : memref<?x3x4xf64>
        %c = arith.mulf %a, %b : f64
        affine.store %c, %A[%k * 5 + %i, %j] : memref<16x32xf64>
      }
    }
  }
  memref.dealloc %T : memref<?x3x4xf64>
  return %size : index
}
"""  # noqa: E501
RESHAPED_PARTS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %V = memref.subview %A[%n, 0] [1, 32] [1, 1] : memref<16x32xf64> to memref<1x32xf64, strided<[32, 1], offset: ?>>
  %row = memref.collapse_shape %V [[0, 1]] : memref<1x32xf64, strided<[32, 1], offset: ?>> into memref<32xf64, strided<[1], offset: ?>>
  %cells = memref.expand_shape %row [[0, 1]] output_shape [8, 4] : memref<32xf64, strided<[1], offset: ?>> into memref<8x4xf64, strided<[4, 1], offset: ?>>
  %W = memref.subview %A[1, 2] [6, 4] [2, 1] : memref<16x32xf64> to memref<6x4xf64, strided<[64, 1], offset: 34>>
  %quads = memref.expand_shape %W [[0, 1], [2, 3]] output_shape [2, 3, 2, 2] : memref<6x4xf64, strided<[64, 1], offset: 34>> into memref<2x3x2x2xf64, strided<[192, 64, 2, 1], offset: 34>>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %a = affine.load %cells[%i, %j] : memref<8x4xf64, strided<[4, 1], offset: ?>>
      %b = affine.load %row[%i * 4 + 3 - %j] : memref<32xf64, strided<[1], offset: ?>>
      %c = arith.addf %a, %b : f64
      affine.store %c, %cells[%i, %j] : memref<8x4xf64, strided<[4, 1], offset: ?>>
    }
  }
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      %a = affine.load %quads[%i, %j, 0, 1] : memref<2x3x2x2xf64, strided<[192, 64, 2, 1], offset: 34>>
      affine.store %a, %quads[%i, 2 - %j, 1, 0] : memref<2x3x2x2xf64, strided<[192, 64, 2, 1], offset: 34>>
    }
  }
  return
}
"""  # noqa: E501
# An offset counts from the first element of the array, also where a view is reinterpreted.
REINTERPRETED_ARRAYS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %row = memref.reinterpret_cast %A to offset: [0], sizes: [512], strides: [1] : memref<16x32xf64> to memref<512xf64>
  %R = memref.reinterpret_cast %A to offset: [64], sizes: [3, 7], strides: [40, 2] : memref<16x32xf64> to memref<3x7xf64, strided<[40, 2], offset: 64>>
  %S = memref.reinterpret_cast %A to offset: [%n], sizes: [4, %n], strides: [%n, 1] : memref<16x32xf64> to memref<4x?xf64, strided<[?, 1], offset: ?>>
  %V = memref.subview %A[3, 1] [2, 2] [1, 1] : memref<16x32xf64> to memref<2x2xf64, strided<[32, 1], offset: 97>>
  %back = memref.reinterpret_cast %V to offset: [0], sizes: [2, 32], strides: [32, 1] : memref<2x2xf64, strided<[32, 1], offset: 97>> to memref<2x32xf64>
  %x = memref.alloc() : memref<f64>
  %one = memref.reinterpret_cast %x to offset: [0], sizes: [1], strides: [1] : memref<f64> to memref<1xf64>
  %two = memref.expand_shape %x [] output_shape [1, 1] : memref<f64> into memref<1x1xf64>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 7 {
      %a = affine.load %row[%i * 5 + %j] : memref<512xf64>
      affine.store %a, %R[%i, 6 - %j] : memref<3x7xf64, strided<[40, 2], offset: 64>>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to %n {
      %a = affine.load %S[%i, %j] : memref<4x?xf64, strided<[?, 1], offset: ?>>
      %b = affine.load %back[1, %i * 5 + %j] : memref<2x32xf64>
      %c = arith.mulf %a, %b : f64
      affine.store %c, %S[%i, %j] : memref<4x?xf64, strided<[?, 1], offset: ?>>
      affine.store %c, %one[0] : memref<1xf64>
    }
  }
  %d = memref.load %two[%c0, %c0] : memref<1x1xf64>
  memref.store %d, %A[%c0, %c0] : memref<16x32xf64>
  memref.dealloc %x : memref<f64>
  return
}
"""  # noqa: E501
BYTES = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %c64 = arith.constant 64 : index
  %m = affine.apply affine_map<(d0) -> (d0 * 128)>(%n)
  %bytes = memref.alloc(%m) : memref<?xi8>
  %T = memref.view %bytes[%c64][%n] : memref<?xi8> to memref<?x4xf64>
  %U = memref.view %bytes[%c64][] : memref<?xi8> to memref<3x2xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<16x32xf64>
      affine.store %a, %T[%i, 3 - %j] : memref<?x4xf64>
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 2 {
      %a = affine.load %U[%i, %j] : memref<3x2xf64>
      affine.store %a, %A[%i + 8, %j] : memref<16x32xf64>
    }
  }
  memref.dealloc %bytes : memref<?xi8>
  return
}
"""
CASTS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  %D = memref.cast %A : memref<16x32xf64> to memref<?x?xf64>
  %E = memref.cast %D : memref<?x?xf64> to memref<16x?xf64>
  %row = memref.collapse_shape %E [[0, 1]] : memref<16x?xf64> into memref<?xf64>
  %F = memref.cast %row : memref<?xf64> to memref<512xf64>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to %n {
      %a = affine.load %E[%i, %j] : memref<16x?xf64>
      affine.store %a, %D[%i, %j + 5] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to 256 {
    %a = affine.load %F[%i] : memref<512xf64>
    affine.store %a, %F[%i + 256] : memref<512xf64>
  }
  return
}
"""
# The operations in a reduction are in the order of the loop; the third one is neither commutative
# nor associative.
PARALLEL_REDUCTIONS = """
func.func @f(%A: memref<16x32xf64>, %n: index) -> (f64, f64, i64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %three = arith.constant 3 : i64
  %sum = affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 32) reduce ("addf") -> f64 {
    %a = affine.load %A[%i, %j] : memref<16x32xf64>
    affine.yield %a : f64
  }
  %r:2 = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c1) init (%half, %three) -> (f64, i64) {
    %a = memref.load %A[%i, %j] : memref<16x32xf64>
    %k = arith.index_cast %j : index to i64
    scf.reduce(%a, %k : f64, i64) {
    ^bb0(%x: f64, %y: f64):
      %h = arith.mulf %x, %half : f64
      %t = arith.addf %h, %y : f64
      scf.reduce.return %t : f64
    }, {
    ^bb0(%x: i64, %y: i64):
      %t = arith.muli %x, %y : i64
      %u = arith.subi %t, %x : i64
      scf.reduce.return %u : i64
    }
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %largest = scf.parallel (%j) = (%c0) to (%n) step (%c1) init (%half) -> f64 {
      %a = memref.load %A[%i, %j] : memref<16x32xf64>
      scf.reduce(%a : f64) {
      ^bb0(%x: f64, %y: f64):
        %t = arith.maximumf %x, %y : f64
        scf.reduce.return %t : f64
      }
    }
    memref.store %largest, %A[%i, %c0] : memref<16x32xf64>
    scf.reduce
  }
  %least = affine.parallel (%i) = (0) to (16) step (3) reduce ("minimumf") -> f64 {
    %a = affine.load %A[%i, 7] : memref<16x32xf64>
    affine.yield %a : f64
  }
  return %sum, %r#0, %r#1, %least : f64, f64, i64, f64
}
"""  # noqa: E501
# From other starts, by other steps, around and in other loops, without iterations, of other types.
REDUCTIONS_IN_LOOPS = """
func.func @f(%A: memref<16x32xf64>, %n: index) -> (i32, f64, i1, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c31 = arith.constant 31 : index
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %many = arith.constant 1000 : i32
  %false = arith.constant false
  %least = scf.parallel (%i) = (%c3) to (%c31) step (%c2) init (%many) -> i32 {
    %a = memref.load %A[%c1, %i] : memref<16x32xf64>
    %s = arith.divf %half, %a : f64
    %k = arith.fptosi %s : f64 to i32
    scf.reduce(%k : i32) {
    ^bb0(%x: i32, %y: i32):
      %t = arith.minsi %x, %y : i32
      scf.reduce.return %t : i32
    }
  }
  affine.for %i = 1 to 16 {
    %product = scf.parallel (%j) = (%c0) to (%i) step (%c1) init (%one) -> f64 {
      %a = memref.load %A[%i, %j] : memref<16x32xf64>
      %b = arith.addf %a, %half : f64
      scf.reduce(%b : f64) {
      ^bb0(%x: f64, %y: f64):
        %t = arith.mulf %x, %y : f64
        scf.reduce.return %t : f64
      }
    }
    affine.store %product, %A[%i - 1, %i] : memref<16x32xf64>
  }
  %none = scf.parallel (%i, %j) = (%c3, %c0) to (%c2, %n) step (%c1, %c1) init (%half) -> f64 {
    %a = memref.load %A[%i, %j] : memref<16x32xf64>
    scf.reduce(%a : f64) {
    ^bb0(%x: f64, %y: f64):
      %t = arith.addf %x, %y : f64
      scf.reduce.return %t : f64
    }
  }
  %any = scf.parallel (%i) = (%c0) to (%c16) step (%c3) init (%false) -> i1 {
    %a = memref.load %A[%i, %c2] : memref<16x32xf64>
    %is = arith.cmpf ogt, %a, %half : f64
    scf.reduce(%is : i1) {
    ^bb0(%x: i1, %y: i1):
      %t = arith.ori %x, %y : i1
      scf.reduce.return %t : i1
    }
  }
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%none) -> f64 {
    %row = affine.for %j = 0 to 32 iter_args(%s = %half) -> f64 {
      %a = memref.load %A[%i, %j] : memref<16x32xf64>
      %t = arith.addf %s, %a : f64
      affine.yield %t : f64
    }
    scf.reduce(%row : f64) {
    ^bb0(%x: f64, %y: f64):
      %t = arith.addf %x, %y : f64
      scf.reduce.return %t : f64
    }
  }
  return %least, %none, %any, %sum : i32, f64, i1, f64
}
"""
PROGRAMS = {
    "constant-view": CONSTANT_VIEW,
    "shifted-views": SHIFTED_VIEWS,
    "unit-dimensions": UNIT_DIMENSIONS,
    "reshaped-arrays": RESHAPED_ARRAYS,
    "reshaped-dynamic-arrays": RESHAPED_DYNAMIC_ARRAYS,
    "reshaped-parts": RESHAPED_PARTS,
    "reinterpreted-arrays": REINTERPRETED_ARRAYS,
    "bytes": BYTES,
    "casts": CASTS,
    "parallel-reductions": PARALLEL_REDUCTIONS,
    "reductions-in-loops": REDUCTIONS_IN_LOOPS,
    "constant-basis": CONSTANT_BASIS,
    "variable-basis": VARIABLE_BASIS,
    "while": WHILE,
    "while-with-other-results": WHILE_WITH_OTHER_RESULTS,
}
VECTORS = """
func.func @f(%A: memref<16x32xf64>, %n: index) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 32 step 8 {
      %v = affine.vector_load %A[%i, %j] : memref<16x32xf64>, vector<8xf64>
      %w = arith.mulf %v, %v : vector<8xf64>
      affine.vector_store %w, %A[-%i + 15, %j] : memref<16x32xf64>, vector<8xf64>
    }
  }
  return
}
"""
NESTED = """
module @outer {
  module @inner {
    func.func private @twice(%x: f64) -> f64 {
      %y = arith.addf %x, %x : f64
      return %y : f64
    }
    func.func @f(%A: memref<16x32xf64>) {
      affine.for %i = 0 to 16 {
        %a = affine.load %A[%i, 3] : memref<16x32xf64>
        %b = func.call @twice(%a) : (f64) -> f64
        affine.store %b, %A[%i, 3] : memref<16x32xf64>
      }
      return
    }
  }
  func.func @g(%A: memref<16x32xf64>) {
    affine.for %i = 1 to 16 {
      %a = affine.load %A[%i - 1, 3] : memref<16x32xf64>
      affine.store %a, %A[%i, 3] : memref<16x32xf64>
    }
    return
  }
}
"""


def array() -> Array:
    return np.random.default_rng(7).random((16, 32))


def expected_of(text: str, folder: Path) -> tuple[object, Array]:
    """What MLIR's own lowering computes."""
    command = [MLIR_OPT, "--affine-expand-index-ops", "--lower-affine"]
    expanded = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    expected = array()
    return Oracle(expanded.stdout, folder)("f", expected, 5), expected


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize(("name", "pipeline"), in_turn(list(PROGRAMS), ["", DEFAULT_PIPELINE], 2))
def test_program_has_the_bits_of_mlir(
    name: str, backend: Backend, pipeline: str, tmp_path: Path
) -> None:
    results, expected = expected_of(PROGRAMS[name], tmp_path)
    actual = array()
    function = polyir.compile(PROGRAMS[name], pipeline, backend=backend)["f"]
    assert function(actual, 5) == results
    assert compare_bits([expected], [actual]) is None


@pytest.mark.parametrize("backend", ["auto", "c", "llvm"])
def test_vectors(backend: Backend, tmp_path: Path) -> None:
    _, expected = expected_of(VECTORS, tmp_path)
    actual = array()
    polyir.compile(VECTORS, "", backend=backend)["f"](actual, 5)
    assert compare_bits([expected], [actual]) is None


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_copy_of_views(backend: Backend) -> None:
    # MLIR copies views by a function of its runtime library.
    actual, expected = array(), array()
    polyir.compile(COPIED_VIEWS, "", backend=backend)["f"](actual, 5)
    expected[8:16:2, 5:20:3] = expected[:4, :5]
    assert compare_bits([expected], [actual]) is None


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_functions_of_inner_modules(backend: Backend) -> None:
    actual, expected = array(), array()
    module = polyir.compile(NESTED, backend=backend)
    module["f"](actual)
    expected[:, 3] *= 2
    assert compare_bits([expected], [actual]) is None
    module["g"](actual)
    expected[:, 3] = expected[0, 3]
    assert compare_bits([expected], [actual]) is None
