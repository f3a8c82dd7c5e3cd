// RUN: polyir-opt --vectorize %s | filecheck %s

// C promotes narrow integers to int. Numbers that are only compared and selected stay narrow.
// CHECK-LABEL: func.func @greatest
// CHECK: %[[A:.+]] = affine.vector_load %A
// CHECK-NEXT: %[[B:.+]] = affine.vector_load %B
// CHECK-NEXT: %[[GREATER:.+]] = arith.cmpi sgt, %[[A]], %[[B]] : vector<8xi16>
// CHECK-NEXT: %[[GREATEST:.+]] = arith.select %[[GREATER]], %[[A]], %[[B]] : vector<8xi1>, vector<8xi16>
// CHECK-NEXT: affine.vector_store %[[GREATEST]], %B
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
// CHECK: %[[X:.+]] = affine.vector_load %A
// CHECK-NEXT: %[[NUMBER:.+]] = arith.constant -56 : i8
// CHECK-NEXT: %[[LIMIT:.+]] = vector.broadcast %[[NUMBER]] : i8 to vector<8xi8>
// CHECK-NEXT: %[[LESS:.+]] = arith.cmpi ult, %[[X]], %[[LIMIT]] : vector<8xi8>
// CHECK-NEXT: %[[LEAST:.+]] = arith.select %[[LESS]], %[[X]], %[[LIMIT]] : vector<8xi1>, vector<8xi8>
// CHECK-NEXT: affine.vector_store %[[LEAST]], %A
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

// 200 is not a signed number of 8 bits, but of 16.
// CHECK-LABEL: func.func @wide
// CHECK: %[[WIDE:.+]] = arith.extsi %{{.+}} : vector<8xi8> to vector<8xi16>
// CHECK: arith.cmpi slt, %[[WIDE]], %{{.+}} : vector<8xi16>
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
// CHECK: %[[SIGNED:.+]] = arith.extsi %{{.+}} : vector<8xi16> to vector<8xi32>
// CHECK: %[[UNSIGNED:.+]] = arith.extui %{{.+}} : vector<8xi16> to vector<8xi32>
// CHECK: arith.cmpi sgt, %[[SIGNED]], %[[UNSIGNED]] : vector<8xi32>
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

// Three numbers of 8 bits add up to one of 16; a fourth of it has 8 bits again.
// CHECK-LABEL: func.func @mean
// CHECK-DAG: %[[A:.+]] = arith.extui %{{.+}} : vector<8xi8> to vector<8xi16>
// CHECK-DAG: %[[B:.+]] = arith.extui %{{.+}} : vector<8xi8> to vector<8xi16>
// CHECK: arith.addi %{{.+}}, %{{.+}} : vector<8xi16>
// CHECK: %[[SUM:.+]] = arith.addi %{{.+}}, %{{.+}} : vector<8xi16>
// CHECK: %[[MEAN:.+]] = arith.shrui %[[SUM]], %{{.+}} : vector<8xi16>
// CHECK: arith.trunci %[[MEAN]] : vector<8xi16> to vector<8xi8>
func.func @mean(%A: memref<802xi8>, %B: memref<802xi8>) {
  %two = arith.constant 2 : i32
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<802xi8>
    %b = affine.load %A[%i + 1] : memref<802xi8>
    %c = affine.load %A[%i + 2] : memref<802xi8>
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extui %b : i8 to i32
    %2 = arith.extui %c : i8 to i32
    %3 = arith.addi %0, %1 : i32
    %4 = arith.addi %3, %2 : i32
    %5 = arith.shrsi %4, %two : i32
    %6 = arith.trunci %5 : i32 to i8
    affine.store %6, %B[%i] : memref<802xi8>
  } {poly.vector = #poly.vector<8>}
  return
}

// 300 times a number of 8 bits may need more than 16.
// CHECK-LABEL: func.func @scaled
// CHECK: arith.muli %{{.+}}, %{{.+}} : vector<8xi32>
func.func @scaled(%A: memref<800xi8>, %B: memref<800xi8>) {
  %factor = arith.constant 300 : i32
  %shift = arith.constant 4 : i32
  affine.for %i = 0 to 800 {
    %a = affine.load %A[%i] : memref<800xi8>
    %0 = arith.extui %a : i8 to i32
    %1 = arith.muli %0, %factor : i32
    %2 = arith.shrsi %1, %shift : i32
    %3 = arith.trunci %2 : i32 to i8
    affine.store %3, %B[%i] : memref<800xi8>
  } {poly.vector = #poly.vector<8>}
  return
}

// Without the loop inside, the sum needs no more than 16 bits: a vector has twice as many.
// CHECK-LABEL: func.func @sum
// CHECK: affine.for %{{.+}} = 0 to {{.+}} step 16
// CHECK: arith.addi %{{.+}}, %{{.+}} : vector<16xi16>
// CHECK-NOT: vector<16xi32>
func.func @sum(%A: memref<803xi8>, %B: memref<800xi8>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 800 {
    %sum = affine.for %k = 0 to 3 iter_args(%old = %zero) -> (i32) {
      %a = affine.load %A[%i + %k] : memref<803xi8>
      %0 = arith.extui %a : i8 to i32
      %new = arith.addi %old, %0 : i32
      affine.yield %new : i32
    }
    %is_three = arith.cmpi eq, %sum, %three : i32
    %1 = arith.extui %is_three : i1 to i8
    affine.store %1, %B[%i] : memref<800xi8>
  } {poly.vector = #poly.vector<8>}
  return
}
