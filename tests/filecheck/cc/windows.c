// Rows of a window may be outside of the loop that gets vectors: then some statements run for one row only, and there are none.
// RUN: polyir-cc --passes="optimize{strategy=untiled-locality machine=%S/../transform/Inputs/four_cores.json}" --remarks %s -o - 2>&1 | grep -v CHECK | filecheck %s
// RUN: polyir-cc --passes="optimize{strategy=private machine=%S/../transform/Inputs/four_cores.json}" %s -o - | grep -v PRIVATE | filecheck %s --check-prefix=PRIVATE

// CHECK-NOT: stays scalar
// CHECK: no register tiles were made
// CHECK-NOT: stays scalar
// CHECK-LABEL: void filter(
void filter(int h, int w, unsigned char *restrict out, unsigned char *restrict in,
            int *restrict k) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int r = 0; r < 9; r++)
        for (int s = 0; s < 9; s++)
          sum += k[r * 9 + s] * in[(y + r) * (w + 8) + x + s];
      out[y * w + x] = sum / 16;
    }
}

// A window in straight-line code: one sum, in vectors along the image.
// PRIVATE-LABEL: void mean(
// PRIVATE:      for (long x = 0; x < (long)w - 15; x += 16) {
// PRIVATE-NEXT: *(polyir_f32x16_in_memory *)&out[y][x] = (polyir_broadcast_f32x16(0.0f)
// PRIVATE-COUNT-9: + *(polyir_f32x16_in_memory *)&in[y
void mean(int h, int w, float out[restrict h][w], float in[restrict h + 2][w + 2]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
          sum += in[y + r][x + s];
      out[y][x] = sum / 9;
    }
}
