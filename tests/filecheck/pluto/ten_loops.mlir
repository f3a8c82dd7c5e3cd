// RUN: polyir-opt --pluto-schedule --remarks --emit=none %s 2>&1 | filecheck %s
// The distances of a nest of ten loops: boxes with a thousand vertices.
// CHECK-NOT: takes more than
// CHECK:     remark: [pluto-schedule] band of 1 for S0: no parallel members
// CHECK-NOT: takes more than
func.func @count(%s: memref<f64>) {
  %c = arith.constant 1.0 : f64
affine.for %i0 = 0 to 5 {
affine.for %i1 = 0 to 5 {
affine.for %i2 = 0 to 5 {
affine.for %i3 = 0 to 5 {
affine.for %i4 = 0 to 5 {
affine.for %i5 = 0 to 5 {
affine.for %i6 = 0 to 5 {
affine.for %i7 = 0 to 5 {
affine.for %i8 = 0 to 5 {
affine.for %i9 = 0 to 5 {
%x = affine.load %s[] : memref<f64>
%y = arith.addf %x, %c : f64
affine.store %y, %s[] : memref<f64>
}}}}}}}}}}
return }
