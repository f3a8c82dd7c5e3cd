// A loop nest whose inner bounds are a maximum and a minimum, from notes on affine transformations.
func.func @trapezoid(%a: memref<9x7xf64>, %x: f64) {
  affine.for %i = 0 to 9 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (7, d0 + 4)>(%i) {
      affine.store %x, %a[%i, %j] : memref<9x7xf64>
    }
  }
  return
}
