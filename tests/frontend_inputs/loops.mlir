// Loops and conditions of the affine dialect.
#lower = affine_map<(d0)[s0] -> (d0 - s0, 0, d0 floordiv 4)>
#upper = affine_map<(i0, i1)[N] -> (i0 + 32, N - 1, (i1 * 2) ceildiv 3 + i0 mod 5)>
#triangle = affine_set<(i, j)[N] : (i - j >= 0, N - i - 1 >= 0, j <= N, i - 2 * j == 0)>
#empty = affine_set<() : (1 == 0)>
module @loops attributes {polyir.note = "a module with a name", polyir.list = [1, 2.5, "x", @f, unit, index, [true, false], {a, b = 2 : i8}]} {
  func.func @constant_bounds(%A: memref<100xf64>) {
    affine.for %i = 0 to 100 {
      %x = affine.load %A[%i] : memref<100xf64>
      affine.store %x, %A[-%i + 99] : memref<100xf64>
    }
    affine.for %i = -5 to 7 step 3 {
    }
    return
  }
  func.func @maps(%n: index, %m: index, %A: memref<?x?xf32>) {
    affine.for %i = 0 to %n {
      affine.for %j = max #lower(%i)[%m] to min #upper(%i, %i)[%n] step 4 {
        affine.for %k = affine_map<(d0) -> (d0)>(%j) to affine_map<(d0) -> (d0 + 4)>(%j) {
          %x = affine.load %A[%k - %j + 2 * (%i - 1), (%k + 3) mod 7 + symbol(%n) floordiv 2] : memref<?x?xf32>
          affine.store %x, %A[%k + symbol(%m) - 1, 0] : memref<?x?xf32>
        }
      } {polyir.kind = "point"}
    }
    return
  }
  func.func @carried(%A: memref<?xf64>, %n: index) -> (f64, f64) {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %r:2 = affine.for %i = 0 to %n iter_args(%s = %zero, %p = %one) -> (f64, f64) {
      %x = affine.load %A[%i] : memref<?xf64>
      %s1 = arith.addf %s, %x : f64
      %p1 = arith.mulf %p, %x : f64
      affine.yield %s1, %p1 : f64, f64
    }
    return %r#0, %r#1 : f64, f64
  }
  func.func @conditions(%n: index, %A: memref<?x?xf64>) -> f64 {
    %zero = arith.constant 0.0 : f64
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.if #triangle(%i, %j)[%n] {
          affine.store %zero, %A[%i, %j] : memref<?x?xf64>
        } else {
          affine.store %zero, %A[%j, %i] : memref<?x?xf64>
        }
        affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
          affine.store %zero, %A[%i, 0] : memref<?x?xf64>
        } {polyir.guard}
      }
    }
    %v = affine.if #empty() -> f64 {
      affine.yield %zero : f64
    } else {
      %w = affine.load %A[0, 0] : memref<?x?xf64>
      affine.yield %w : f64
    }
    return %v : f64
  }
  func.func @parallel(%n: index, %A: memref<?x?xf64>) -> (f64, f64) {
    affine.parallel (%i) = (0) to (100) {
    }
    affine.parallel (%i, %j) = (0, max(0, %n - 4)) to (symbol(%n), min(%n, 10, 2 * %n)) step (2, 3) {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %x, %A[%i, %j] : memref<?x?xf64>
    } {polyir.parallel}
    %r:2 = affine.parallel (%i, %j) = (0, 0) to (%n, %n) reduce ("addf", "maximumf") -> (f64, f64) {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.yield %x, %x : f64, f64
    }
    return %r#0, %r#1 : f64, f64
  }
  func.func @values(%n: index, %m: index) -> index {
    %a = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 mod 2)>(%n)[%m]
    %b = affine.min affine_map<(d0, d1) -> (d0, d1 - 1, 7)>(%a, %n)
    %c = affine.max affine_map<()[s0] -> (s0, 0)>()[%b] {polyir.note = "max"}
    %d = affine.apply affine_map<() -> (42)>()
    %e:2 = affine.delinearize_index %c into (%n, %d) : index, index
    return %e#1 : index
  }
  func.func @vectors(%A: memref<64x64xf32>, %i: index) {
    %v = affine.vector_load %A[%i, 8] : memref<64x64xf32>, vector<8xf32>
    affine.vector_store %v, %A[%i + 1, 0] : memref<64x64xf32>, vector<8xf32>
    affine.prefetch %A[%i, 3], write, locality<0>, instr : memref<64x64xf32>
    return
  }
}
