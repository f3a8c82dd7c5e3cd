// Whether copies of temporaries would help is found from the dependences.
// RUN: polyir-cc --pluto-schedule --tile=8 --mark-parallel %s -o /dev/null 2>&1 | filecheck %s
// RUN: polyir-cc --privatize --pluto-schedule --tile=8 --mark-parallel %s 2>/dev/null | grep -v PRIVATE | filecheck %s --check-prefix PRIVATE
// RUN: not polyir-cc --target=opencl %s -o %t.c 2>&1 | filecheck %s --check-prefix KERNELS
#define N 200
static float p[N][N], q[N][N];
float out[N][N], line[N][N];

// CHECK-LABEL: [tile] nothing was tiled
// CHECK-COUNT-1: warning: [privatize] loops 1, 2 would be parallel with copies of acc for each iteration: --privatize before the scheduler makes them
// CHECK: [mark-parallel] nothing was marked parallel
// PRIVATE-LABEL: void products
// PRIVATE: #pragma omp parallel for
// KERNELS-NOT: privatize
void products(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float acc = 0;
      for (int k = 0; k < N; k++) acc += p[i][k] * q[k][j];
      out[i][j] = acc;
    }
#pragma endscop
}

// PRIVATE-LABEL: void sequential
// PRIVATE-NOT: #pragma omp
// CHECK-NOT: copies of last
// Values go from iteration to iteration here: copies would not help.
void sequential(void) {
#pragma scop
  for (int i = 1; i < N; i++) {
    float last = line[i - 1][0] * 2;
    line[i][0] = last + 1;
  }
#pragma endscop
}

// CHECK: [privatize] loops 1, 2, 4 would be parallel with copies of row for each iteration
// PRIVATE-LABEL: void rows
// PRIVATE: #pragma omp parallel for
void rows(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float row[4];
      for (int k = 0; k < 4; k++) row[k] = p[i][j] * k;
      out[i][j] = row[3] - row[1];
    }
#pragma endscop
}

// CHECK: [privatize] loop 1 would be parallel with copies of dot, square for each iteration
// PRIVATE-LABEL: void two_sums
// PRIVATE: #pragma omp parallel for
void two_sums(void) {
#pragma scop
  for (int i = 0; i < N; i++) {
    double dot = 0, square = 1;
    for (int j = 0; j < N; j++) {
      dot += p[i][j] * q[j][i];
      square += p[i][j] * p[i][j];
    }
    line[i][0] = dot / square;
  }
#pragma endscop
}

// CHECK: [privatize] loops 1, 2 would be parallel with copies of sum
// PRIVATE-LABEL: void triangle
// PRIVATE: #pragma omp parallel for
void triangle(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      float sum = 0;
      for (int k = N - 1; k >= j; k--) sum += p[i][k] * q[k][j];
      out[i][j] = sum > 9 ? 9 : sum;
    }
#pragma endscop
}

// CHECK: [privatize] loop 1 would be parallel with copies of largest
// PRIVATE-LABEL: void extrema
// PRIVATE: #pragma omp parallel for
void extrema(void) {
#pragma scop
  for (int i = 0; i < N; i++) {
    float largest = p[i][0];
    for (int j = 1; j < N; j++)
      if (p[i][j] > largest) largest = p[i][j];
    line[i][1] = largest;
  }
#pragma endscop
}

// A value before the conditions, in each iteration.
// CHECK: [privatize] loop 1 would be parallel with copies of t for each iteration
// PRIVATE-LABEL: void chosen
// PRIVATE: #pragma omp parallel for
// PRIVATE: = 0.0f;
// PRIVATE-NEXT: if (p[i][1] > 3.0f) {
void chosen(void) {
#pragma scop
  for (int i = 0; i < N; i++) {
    float t;
    if (p[i][1] > 3) t = p[i][1];
    else t = q[i][2];
    line[i][2] = t;
  }
#pragma endscop
}
