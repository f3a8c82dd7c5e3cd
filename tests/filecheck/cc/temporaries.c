// Whether copies of temporaries would help is found from the dependences.
// RUN: polyir-cc --pluto-schedule --tile=8 --mark-parallel %s -o /dev/null 2>&1 | filecheck %s
// RUN: polyir-cc --privatize --pluto-schedule --tile=8 --mark-parallel %s | filecheck %s --check-prefix PRIVATE
// RUN: not polyir-cc --target=opencl %s -o %t.c 2>&1 | filecheck %s --check-prefix KERNELS
#define N 200
static float p[N][N], q[N][N];
float out[N][N], line[N][N];

// CHECK-LABEL: [tile] nothing was tiled
// CHECK-COUNT-1: warning: [privatize] loops 1, 2 would be parallel with copies of acc for each iteration: --privatize before the scheduler makes them
// CHECK: [mark-parallel] nothing was marked parallel
// CHECK-NOT: [privatize]
// PRIVATE-COUNT-1: #pragma omp parallel for
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

// Values go from iteration to iteration here: copies would not help.
void sequential(void) {
#pragma scop
  for (int i = 1; i < N; i++) {
    float last = line[i - 1][0] * 2;
    line[i][0] = last + 1;
  }
#pragma endscop
}
