// RUN: polyir-opt --vectorize %s | filecheck %s

// C promotes narrow integers to int. Numbers that are only compared and selected stay narrow.
// CHECK-LABEL: func.func @greatest
// CHECK: %[[A:.+]] = affine.vector_load %A
// CHECK: arith.cmpi sgt, %[[A]], %{{.+}} : vector<8xi16>
// CHECK: arith.select %{{.+}} : vector<8xi1>, vector<8xi16>
// CHECK-NOT: extsi
func.func @greatest(%A: memref<800xi16>, %B: memref<800xi16>) {
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<800xi16>
    %b = affine.load %B[%i] : memref<800xi16>
    %0 = arith.extsi %a : i16 to i32
    %1 = arith.extsi %b : i16 to i32
    %2 = arith.cmpi sgt, %0, %1 : i32
    %3 = arith.select %2, %0, %1 : i32
    %4 = arith.trunci %3 : i32 to i16
    affine.store %4, %B[%i] : memref<800xi16>
  } {poly.vector = #poly.vector<8>}
  return
}

// Extended without a sign, they are compared without one.
// CHECK-LABEL: func.func @clamped
// CHECK: %[[LIMIT:.+]] = arith.constant -56 : i8
// CHECK: arith.cmpi ult, %{{.+}} : vector<8xi8>
// CHECK-NOT: extui
func.func @clamped(%A: memref<800xi8>) {
  %limit = arith.constant 200 : i32
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<800xi8>
    %0 = arith.extui %a : i8 to i32
    %1 = arith.cmpi slt, %0, %limit : i32
    %2 = arith.select %1, %0, %limit : i32
    %3 = arith.trunci %2 : i32 to i8
    affine.store %3, %A[%i] : memref<800xi8>
  } {poly.vector = #poly.vector<8>}
  return
}

// 200 is no signed number of 8 bits.
// CHECK-LABEL: func.func @wide
// CHECK: arith.cmpi slt, %{{.+}} : vector<8xi32>
func.func @wide(%A: memref<800xi8>) {
  %limit = arith.constant 200 : i32
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<800xi8>
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.cmpi slt, %0, %limit : i32
    %2 = arith.select %1, %0, %limit : i32
    %3 = arith.trunci %2 : i32 to i8
    affine.store %3, %A[%i] : memref<800xi8>
  } {poly.vector = #poly.vector<8>}
  return
}

// Numbers with and without sign have no narrow type in common.
// CHECK-LABEL: func.func @both
// CHECK: arith.cmpi sgt, %{{.+}} : vector<8xi32>
func.func @both(%A: memref<800xi16>, %B: memref<800xi16>) {
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<800xi16>
    %b = affine.load %B[%i] : memref<800xi16>
    %0 = arith.extsi %a : i16 to i32
    %1 = arith.extui %b : i16 to i32
    %2 = arith.cmpi sgt, %0, %1 : i32
    %3 = arith.select %2, %0, %1 : i32
    %4 = arith.trunci %3 : i32 to i16
    affine.store %4, %B[%i] : memref<800xi16>
  } {poly.vector = #poly.vector<8>}
  return
}
