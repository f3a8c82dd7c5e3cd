// Scalars are defined once, under their names; numbers in memory are read once.
// RUN: polyir-cc --pluto-schedule=fuse=max %s 2>/dev/null | grep -vE 'CHECK|DEFAULT' | filecheck %s
// RUN: polyir-cc --optimize=strategy=private %s 2>/dev/null | grep -vE 'CHECK|DEFAULT' | filecheck %s --check-prefix DEFAULT
static double x[64], y[64], z[64];
static int p[64];
typedef struct { float *x, *y, *vx, *vy; unsigned long n; } particles;

// CHECK-LABEL: void two_uses
// CHECK: const double t = x[i] * 0.5;
// CHECK-NEXT: y[i] = t + 1.0;
// CHECK-NEXT: z[i] = t - 1.0;
void two_uses(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = x[i] * 0.5;
    y[i] = t + 1;
    z[i] = t - 1;
  }
#pragma endscop
}

// CHECK-LABEL: void chain
// CHECK: const double first = x[i];
// CHECK-NEXT: const double second = first * first + 1.0;
// CHECK-NEXT: y[i] = first / second;
// CHECK-NEXT: z[i] = second * first;
void chain(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double first = x[i], second = first * first + 1;
    y[i] = first / second;
    z[i] = second * first;
  }
#pragma endscop
}

// What is loaded before an assignment is not what is there after it.
// CHECK-LABEL: void changed
// CHECK: const double t = x[i] * z[i];
// CHECK-NEXT: y[i] = t;
// CHECK-NEXT: x[i] = t + 1.0;
// CHECK-NEXT: z[i] = x[i] * z[i];
void changed(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = x[i] * z[i];
    y[i] = t;
    x[i] = t + 1;
    z[i] = x[i] * z[i];
  }
#pragma endscop
}

// A condition on data is computed once for all statements that it guards.
// CHECK-LABEL: void guarded
// CHECK: if (p[i] > 3) {
// CHECK-NOT: p[i]
void guarded(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (p[i] > 3) {
      y[i] = 1;
      z[i] = 2;
    }
#pragma endscop
}

// DEFAULT-LABEL: void members(
// DEFAULT: const long p_n = (long)p->n;
// DEFAULT-NOT: p->n
// DEFAULT: const float dx = p->x[j] - p_x_value;
// DEFAULT-NEXT: const float dy = p->y[j] - p_y_value;
// DEFAULT-NEXT: const float d = dx * dx + dy * dy + 0.001f;
// DEFAULT-NEXT: fx_local += dx / d;
// DEFAULT-NEXT: fy_local += dy / d;
// DEFAULT-NEXT: }
// DEFAULT-NEXT: p->vx[i] += fx_local;
// DEFAULT-NEXT: p->vy[i] += fy_local;
// DEFAULT-NEXT: }
// DEFAULT-NEXT: } else {
// DEFAULT-NEXT: members_original(p);
void members(particles *p) {
#pragma scop
  for (unsigned long i = 0; i < p->n; i++) {
    float fx = 0, fy = 0;
    for (unsigned long j = 0; j < p->n; j++) {
      float dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i];
      float d = dx * dx + dy * dy + 1e-3f;
      fx += dx / d;
      fy += dy / d;
    }
    p->vx[i] += fx;
    p->vy[i] += fy;
  }
#pragma endscop
}
