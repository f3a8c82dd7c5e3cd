// Variables of structure types are variables of their members.
// RUN: polyir-cc --privatize --promote-private --mark-parallel %s | grep -v CHECK | filecheck %s
#include <math.h>
typedef struct {
  float x, y, z;
} vector;
typedef struct {
  vector p, v;
  float mass;
} body;

static inline vector minus(vector a, vector b) {
  vector r = {.z = a.z - b.z, .x = a.x - b.x, .y = a.y - b.y};
  return r;
}
static inline vector scale(vector a, float s) { return (vector){a.x * s, a.y * s, a.z * s}; }
static inline float dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// CHECK-LABEL: void attract(
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK: for (long j = 0; j < n; j++) {
// CHECK-NEXT: const float r_x = b[j].p.x - {{.*}};
// CHECK: f_x_local += r_x * {{.*}};
// CHECK: b[i].v.x += f_x_local * dt;
// CHECK-NEXT: b[i].v.y += f_y_local * dt;
// CHECK-NEXT: b[i].v.z += f_z_local * dt;
void attract(int n, body *b, float dt) {
  for (int i = 0; i < n; i++) {
    vector f = {0};
    for (int j = 0; j < n; j++) {
      vector d = minus(b[j].p, b[i].p);
      vector g = scale(d, b[j].mass / (dot(d, d) + 1e-6f));
      f.x += g.x, f.y += g.y, f.z += g.z;
    }
    vector v = scale(f, dt);
    b[i].v.x += v.x, b[i].v.y += v.y, b[i].v.z += v.z;
  }
}

// What is assigned to may be read by the values.
// CHECK-LABEL: void turn(
// CHECK: #pragma omp parallel for
// CHECK: a[i].x = [[y:.*]];
// CHECK: a[i].y = [[x:.*]];
void turn(int n, vector *restrict a) {
  for (int i = 0; i < n; i++) a[i] = (vector){a[i].y, a[i].x, a[i].z};
}
