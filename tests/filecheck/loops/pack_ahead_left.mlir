// RUN: polyir-opt --pack=ahead=true --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --pack=ahead=true --emit=c %s | filecheck %s --check-prefix TEXT

// Rows that the innermost loop repeats are not fetched ahead: it would fetch the same in each run.

func.func @innermost(%A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %tk = 0 to 16 step 4 {
    affine.for %k = affine_map<(d0) -> (d0)>(%tk) to affine_map<(d0) -> (d0 + 4)>(%tk) {
      affine.for %i = 0 to 3 {
        affine.for %j = 0 to 8 {
          %a = affine.load %A[%k, %i] : memref<?x?xf64>
          %c = affine.load %C[%i, %j] : memref<?x?xf64>
          %s = arith.addf %c, %a : f64
          affine.store %s, %C[%i, %j] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// CHECK:     remark: [pack] packs 1 elements in each iteration of %k, %i in %A_packed{{$}}
// TEXT-LABEL: void innermost(
// TEXT-NOT:  prefetch

// A column that the loop itself loads is not known before.

func.func @column(%idx: memref<?xindex>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %ti = 0 to 16 step 4 {
    affine.for %j = 0 to 8 {
      affine.for %i = affine_map<(d0) -> (d0)>(%ti) to affine_map<(d0) -> (d0 + 4)>(%ti) {
        affine.for %k = 0 to 4 {
          %column = affine.load %idx[%k] : memref<?xindex>
          %b = memref.load %B[%i, %column] : memref<?x?xf64>
          %c = affine.load %C[%j, %k] : memref<?x?xf64>
          %s = arith.addf %c, %b : f64
          affine.store %s, %C[%j, %k] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// CHECK:     remark: [pack] packs 1 elements in each iteration of %i, %k in %B_packed{{$}}
// TEXT-LABEL: void column(
// TEXT-NOT:  prefetch
