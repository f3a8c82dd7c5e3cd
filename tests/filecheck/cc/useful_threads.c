// One nest needs a copy of the temporaries for each iteration; in the next one, only short inner loops are parallel.
// RUN: polyir-cc --passes="optimize{strategy=private machine=%S/../transform/Inputs/four_cores.json}" %s -o - 2>&1 | grep -v CHECK | filecheck %s
double points[20000][16], centres[32][16], sums[32][16];
int label[20000];

// CHECK-LABEL: void assign(
// CHECK:      #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < 20000; i++) {
// CHECK-NEXT: double best_local
// CHECK:      label[i] = nearest_local;
// CHECK-NOT:  #pragma omp
// CHECK:      sums[
void assign(void) {
  for (int i = 0; i < 20000; i++) {
    double best = 1e300;
    int nearest = 0;
    for (int k = 0; k < 32; k++) {
      double d = 0;
      for (int j = 0; j < 16; j++) {
        double t = points[i][j] - centres[k][j];
        d += t * t;
      }
      if (d < best) {
        best = d;
        nearest = k;
      }
    }
    label[i] = nearest;
  }
  for (int i = 0; i < 20000; i++)
    for (int j = 0; j < 16; j++)
      sums[label[i]][j] += points[i][j];
}
// CHECK-NOT:  #pragma omp
