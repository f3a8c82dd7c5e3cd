// RUN: polyir-opt --scop-to-equations --remarks --emit=mlir %s 2>&1 | filecheck %s
// RUN: polyir-opt --scop-to-equations --emit=mlir %s | polyir-opt --emit=mlir | filecheck %s --check-prefix AGAIN
// RUN: polyir-opt --scop-to-equations --check-equations --emit=ashow %s | filecheck %s --check-prefix SHOWN
// RUN: polyir-opt --scop-to-equations=reassociate=true --emit=ashow %s | filecheck %s --check-prefix FREE
// RUN: polyir-opt --scop-to-equations --equations-to-scop --emit=poly %s | filecheck %s --check-prefix BACK
// RUN: not polyir-opt --scop-to-equations --equations-to-scop=element-type=f32 %s 2>&1 | filecheck %s --check-prefix TYPE

// The function keeps its arguments; s is read and overwritten.
func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %0 = affine.load %s[%i] : memref<?xi64>
      %1 = affine.load %a[%j] : memref<?xi64>
      %2 = arith.addi %0, %1 : i64
      affine.store %2, %s[%i] : memref<?xi64>
    }
  }
  func.return
}

// A number from outside is an input, and a temporary none; the constant is where it is used.
func.func @scaled(%n: index, %x: f64, %a: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to %n {
      %0 = affine.load %t[] : memref<f64>
      %1 = affine.load %a[%j] : memref<?xf64>
      %2 = arith.mulf %1, %x : f64
      %3 = arith.addf %0, %2 : f64
      affine.store %3, %t[] : memref<f64>
    }
    %4 = affine.load %t[] : memref<f64>
    affine.store %4, %a[%i] : memref<?xf64>
  }
  func.return
}

// CHECK:      {{.*}}:{{.*}}: remark: [scop-to-equations] S0: a reduction by '+' into s
// CHECK-NEXT: {{.*}}: remark: [scop-to-equations] S1 updates t in order: a sum of floating-point numbers in another order needs 'reassociate'
// CHECK:      func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
// CHECK-NEXT:   equations.compute @prefix_system(%n) inputs (%s, %a : memref<?xi64>, memref<?xi64>) outputs (%s : memref<?xi64>)
// CHECK-NEXT:   func.return
// CHECK:      func.func @scaled(
// CHECK-NOT:    memref.alloca
// CHECK:        equations.compute @scaled_system(%n_1) inputs (%a_1, %x : memref<?xf64>, f64) outputs (%a_1 : memref<?xf64>)
// CHECK:      equations.system @prefix_system parameters ["n"] context "[n] -> {  :  }" elements i64 {

// AGAIN:      func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
// AGAIN-NEXT:   equations.compute @prefix_system(%n) inputs (%s, %a : memref<?xi64>, memref<?xi64>) outputs (%s : memref<?xi64>)
// AGAIN:      equations.system @prefix_system parameters ["n"] context "[n] -> {  :  }" elements i64 {

// SHOWN:      s_out[i] = s + reduce(+, [j], { : i < n and 0 <= j <= i } : a[j]);
// SHOWN:      S1[i, j] = case {

// FREE:      affine scaled_system
// FREE:        x : {}
// FREE:      outputs
// FREE-NEXT:   a_out : { [i] : 0 <= i < n }
// FREE-NOT:  locals
// FREE:      a_out[i] = reduce(+, [j], { : 0 <= i < n and 0 <= j < n } : case {
// FREE-NEXT:   { : j < i } : a_out[j];
// FREE-NEXT:   { : j >= i } : a[j];
// FREE-NEXT: } * x[]);

// An element of a is read before it is overwritten, and by some instances after that.
// BACK:      func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
// BACK:        affine.load %s[
// BACK:        affine.store %{{.*}}, %s[
// BACK:      func.func @scaled(%n_1: index, %x: f64, %a_1: memref<?xf64>) {
// BACK:        flow "a" "[n] -> { S_a_out[i] -> S_S1[i', j = i] : i > 0 and i < i' < n }"
// BACK:        anti "a" "[n] -> { S_S1_0[i, j] -> S_a_out[i' = j] : i >= 0 and j >= i and 0 < j < n }"

// TYPE: error: the elements of 'prefix_system' have the type i64
