// memref, layouts, globals, attributes of arguments, declarations and calls.
!matrix = memref<?x?xf64, strided<[?, 1], offset: ?>>
#layout = affine_map<(d0, d1) -> (d1, d0)>
memref.global "private" constant @table : memref<2x3xf32> = dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]>
memref.global @buffer : memref<16xi32> = uninitialized
memref.global "private" @zeros : memref<4xf64> = dense<0.0> {alignment = 64 : i64}
func.func private @declared(memref<?xf64>, index) -> f64
func.func private @with_attributes(memref<?xf64> {llvm.noalias}, index {polyir.size = 4 : index}) attributes {llvm.emit_c_interface}
func.func public @several(%A: !matrix, %B: memref<4x8xf32, #layout>, %C: memref<*xf32>, %D: memref<4x8xf32, 1>, %E: memref<8x?xf32, strided<[16, 2]>, 2 : i32>) -> (index, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : !matrix
  %m = memref.dim %C, %c1 : memref<*xf32>
  %r = memref.rank %A : !matrix
  %x = memref.load %A[%c0, %c1] : !matrix
  memref.store %x, %A[%c1, %c0] {nontemporal = true} : !matrix
  %y = affine.load %B[%c0, %c1] : memref<4x8xf32, #layout>
  return %n, %y : index, f32
}
func.func @allocations(%n: index) -> memref<?x4xf64> {
  %a = memref.alloc(%n) : memref<?x4xf64>
  %b = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %c = memref.alloca(%n, %n) : memref<?x?xi32>
  %s = memref.alloca() : memref<f64>
  %z = arith.constant 0.0 : f64
  memref.store %z, %s[] : memref<f64>
  affine.store %z, %s[] : memref<f64>
  %l = memref.alloc(%n)[%n] : memref<?x4xf32, affine_map<(d0, d1)[s0] -> (d0 * 8 + d1 + s0)>>
  %d = memref.cast %a : memref<?x4xf64> to memref<?x?xf64>
  %e = memref.cast %d : memref<?x?xf64> to memref<*xf64>
  %g = memref.get_global @table : memref<2x3xf32>
  %h = memref.get_global @buffer : memref<16xi32>
  %k = memref.alloc(%n) : memref<?x4xf64>
  memref.copy %a, %k : memref<?x4xf64> to memref<?x4xf64>
  memref.dealloc %b : memref<16xf32>
  %e2 = memref.alloc(%n) : memref<?xf64>
  %v = call @declared(%e2, %n) : (memref<?xf64>, index) -> f64
  %w:2 = func.call @pair(%n) : (index) -> (index, index)
  func.call @nothing() : () -> ()
  return %a : memref<?x4xf64>
}
func.func @pair(%n: index) -> (index {polyir.first}, index) {
  return %n, %n : index, index
}
func.func private @nothing()
func.func private @callback((f64, f64) -> f64, tuple<i32, f32>, vector<[4]x8xf32>, tensor<?x4xf32>, none, complex<f64>)
