// Minima and maxima of integers are conditional expressions, whose operands are names or literals:
// gcc makes branches of nested calls, and they are predicted wrongly where data decides.
// RUN: polyir-opt --emit=c %s | filecheck %s

// CHECK-LABEL: void extrema(
// CHECK:       const int32_t a = A[i];
// CHECK-NEXT:  const int32_t b = B[i];
// CHECK-NEXT:  const int32_t larger = a > b ? a : b;
// CHECK-NEXT:  A[i] = larger < 7 ? larger : 7;
func.func @extrema(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  %seven = arith.constant 7 : i32
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %b = affine.load %B[%i] : memref<?xi32>
    %larger = arith.maxsi %a, %b : i32
    %least = arith.minsi %larger, %seven : i32
    affine.store %least, %A[%i] : memref<?xi32>
  }
  return
}

// A number of one bit is signed: 1 is -1, the smaller one.
// CHECK-LABEL: void of_one_bit(
// CHECK:       > -(int32_t)
func.func @of_one_bit(%A: memref<2xi1>) {
  %a = affine.load %A[0] : memref<2xi1>
  %b = affine.load %A[1] : memref<2xi1>
  %larger = arith.maxsi %a, %b : i1
  affine.store %larger, %A[0] : memref<2xi1>
  return
}

// gcc warns of a number that is compared with itself.
// CHECK-LABEL: void with_itself(
// CHECK:       *result_0 = p;
// CHECK-NEXT:  *result_1 = false;
// CHECK-NEXT:  *result_2 = true;
// CHECK-NEXT:  *result_3 = false;
func.func @with_itself(%p: i32) -> (i32, i1, i1, i1) {
  %larger = arith.maxsi %p, %p : i32
  %ne = arith.cmpi ne, %p, %p : i32
  %sle = arith.cmpi sle, %p, %p : i32
  %ult = arith.cmpi ult, %p, %p : i32
  return %larger, %ne, %sle, %ult : i32, i1, i1, i1
}
