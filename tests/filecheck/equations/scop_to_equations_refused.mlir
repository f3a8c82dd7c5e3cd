// RUN: polyir-opt --scop-to-equations --emit=none %s 2>&1 | filecheck %s

func.func @types(%n: index, %a: memref<?xf64>, %b: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<?xf32>
    %1 = arith.extf %0 : f32 to f64
    affine.store %1, %a[%i] : memref<?xf64>
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:7:{{.*}}: warning: [scop-to-equations] the scop stays as it is: there are values of type f32 and of type f64, and all values of equations have one type

func.func @narrow(%n: index, %a: memref<?xi8>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xi8>
    %1 = arith.addi %0, %0 : i8
    affine.store %1, %a[%i] : memref<?xi8>
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:15:{{.*}}: warning: [scop-to-equations] the scop stays as it is: values are of type i8, and those of equations of type f64, f32, i64, i32

func.func @bits(%n: index, %a: memref<?xi32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xi32>
    %1 = arith.xori %0, %0 : i32
    affine.store %1, %a[%i] : memref<?xi32>
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:26:{{.*}}: warning: [scop-to-equations] the scop stays as it is: equations have no operation arith.xori

func.func @chosen(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %1 = affine.load %b[%i] : memref<?xf64>
    %2 = arith.cmpf olt, %0, %1 : f64
    scf.if %2 {
      affine.store %0, %b[%i] : memref<?xf64>
    }
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:39:{{.*}}: warning: [scop-to-equations] the scop stays as it is: S0 may write other elements of b, or none, which depends on data

func.func @numbers(%n: index, %a: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = arith.index_cast %i : index to i32
    %1 = arith.sitofp %0 : i32 to f64
    affine.store %1, %a[%i] : memref<?xf64>
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:49:{{.*}}: warning: [scop-to-equations] the scop stays as it is: an index becomes an integer of 32 bits, into which it may not fit

func.func @vectors(%n: index, %a: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.vector_load %a[%i] : memref<?xf64>, vector<4xf64>
    affine.vector_store %0, %a[%i + 8] : memref<?xf64>, vector<4xf64>
  }
  func.return
}
// CHECK: {{.*}}refused.mlir:58:{{.*}}: warning: [scop-to-equations] the scop stays as it is: equations have no vectors
