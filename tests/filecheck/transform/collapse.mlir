// Threads share the iterations of two parallel loops, where the outer one may have few.
// RUN: polyir-opt --poly-raise --mark-parallel --collapse --lower-poly --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --poly-raise --mark-parallel --collapse --lower-poly --emit=c %s | filecheck %s --check-prefix C

// CHECK: remark: [collapse] threads share loop 1 around S0 and the 1 inside together
// CHECK: warning: [collapse] nothing to do: no parallel loop has few iterations and two others inside
// CHECK: warning: [collapse] nothing to do: no parallel loop has few iterations and two others inside
// CHECK: warning: [collapse] nothing to do: no parallel loop has few iterations and two others inside
// CHECK: warning: [collapse] nothing to do: no parallel loop has few iterations and two others inside
// CHECK-LABEL: @images
// CHECK: affine.parallel (%n, %c) = (0, 0) to (symbol(%images), symbol(%channels)) {
// CHECK-NEXT: affine.for %y
// C-LABEL: void images(
// C: #pragma omp parallel for collapse(2)
// C-NEXT: for (int64_t n = 0; n < images
// C-NEXT: for (int64_t c = 0; c < channels
func.func @images(%images: index, %channels: index, %size: index, %A: memref<?x?x?xf64>) {
  affine.for %n = 0 to %images {
    affine.for %c = 0 to %channels {
      affine.for %y = 0 to %size {
        %v = affine.load %A[%n, %c, %y] : memref<?x?x?xf64>
        %w = arith.mulf %v, %v : f64
        affine.store %w, %A[%n, %c, %y] : memref<?x?x?xf64>
      }
    }
  }
  func.return
}

// The outer loop has many iterations.
// CHECK-LABEL: @many
// CHECK: affine.parallel (%n{{.*}}) = (0) to (1000) {
// C-LABEL: void many(
// C-NOT: collapse
func.func @many(%channels: index, %size: index, %A: memref<1000x?x?xf64>) {
  affine.for %n = 0 to 1000 {
    affine.for %c = 0 to %channels {
      affine.for %y = 0 to %size {
        %v = affine.load %A[%n, %c, %y] : memref<1000x?x?xf64>
        %w = arith.mulf %v, %v : f64
        affine.store %w, %A[%n, %c, %y] : memref<1000x?x?xf64>
      }
    }
  }
  func.return
}

// The loop inside runs over other values in each iteration.
// CHECK-LABEL: @triangle
// CHECK: affine.parallel (%n{{.*}}) = (0) to (symbol(%size{{.*}})) {
// C-LABEL: void triangle(
// C-NOT: collapse
func.func @triangle(%size: index, %A: memref<?x?x?xf64>) {
  affine.for %n = 0 to %size {
    affine.for %c = affine_map<(d0) -> (d0)>(%n) to %size {
      affine.for %y = 0 to %size {
        %v = affine.load %A[%n, %c, %y] : memref<?x?x?xf64>
        %w = arith.mulf %v, %v : f64
        affine.store %w, %A[%n, %c, %y] : memref<?x?x?xf64>
      }
    }
  }
  func.return
}

// No parallel loop is left for vectors.
// CHECK-LABEL: @rows
// CHECK: affine.parallel (%n{{.*}}) = (0) to (symbol(%size{{.*}})) {
// C-LABEL: void rows(
// C-NOT: collapse
func.func @rows(%size: index, %A: memref<?x?xf64>) {
  affine.for %n = 0 to %size {
    affine.for %c = 0 to %size {
      %v = affine.load %A[%n, %c] : memref<?x?xf64>
      %w = arith.mulf %v, %v : f64
      affine.store %w, %A[%n, %c] : memref<?x?xf64>
    }
  }
  func.return
}

// C compilers unroll the loop that is left, and make vectors of the one around it.
// CHECK-LABEL: @colours
// CHECK: affine.parallel (%n{{.*}}) = (0) to (symbol(%size{{.*}})) {
// C-LABEL: void colours(
// C-NOT: collapse
func.func @colours(%size: index, %A: memref<?x?x3xf64>) {
  affine.for %n = 0 to %size {
    affine.for %c = 0 to %size {
      affine.for %y = 0 to 3 {
        %v = affine.load %A[%n, %c, %y] : memref<?x?x3xf64>
        %w = arith.mulf %v, %v : f64
        affine.store %w, %A[%n, %c, %y] : memref<?x?x3xf64>
      }
    }
  }
  func.return
}
