// Variables of structure types, and functions that take and return such values.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  float x, y, z;
} vector;
typedef struct {
  vector p, v;
  float mass;
} body;
typedef struct {
  double m[3][3];
} matrix;
struct particle {
  double x[3], v[3];
  short kind;
};
typedef struct {
  unsigned char r, g, b;
} colour;
typedef struct {
  vector low, high;
} box;

static inline vector add(vector a, vector b) {
  return (vector){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vector minus(vector a, vector b) {
  vector r = {.z = a.z - b.z, .x = a.x - b.x, .y = a.y - b.y};
  return r;
}
static inline vector scale(vector a, float s) {
  vector r;
  r.x = a.x * s;
  r.y = a.y * s;
  r.z = a.z * s;
  return r;
}
static inline float dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline void turn(vector *v) {
  float t = v->x;
  v->x = v->y;
  v->y = t;
}

static void attract(int n, body *b, float dt) {
  for (int i = 0; i < n; i++) {
    vector f = {0};
    for (int j = 0; j < n; j++) {
      vector d = minus(b[j].p, b[i].p);
      float r2 = dot(d, d) + 1e-6f;
      f = add(f, scale(d, b[j].mass / (r2 * sqrtf(r2))));
    }
    b[i].v = add(b[i].v, scale(f, dt));
  }
  for (int i = 0; i < n; i++) b[i].p = add(b[i].p, scale(b[i].v, dt));
}

static void nearest(int n, int m, const vector *restrict p, const body *restrict q,
                    int *restrict out) {
  for (int i = 0; i < n; i++) {
    double best = DBL_MAX;
    int at = -1;
    const vector c = p[i];
    for (int j = 0; j < m; j++) {
      vector d = minus(q[j].p, c);
      double e = dot(d, d);
      if (e < best) {
        best = e;
        at = j;
      }
    }
    out[i] = at;
  }
}

static void squares(int n, matrix *restrict a, const matrix *restrict b) {
  for (int i = 0; i < n; i++) {
    matrix c;
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += a[i].m[r][k] * b[i].m[k][s];
        c.m[r][s] = sum;
      }
    a[i] = c;
  }
}

static void swaps(int n, int m, vector *restrict a, const vector *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      vector t = b[i * m + j], u;
      turn(&t);
      u = t.x > 0.5f ? t : a[i * m + j];
      u = (vector){u.y, u.x, u.z};
      a[i * m + j] = u;
    }
}

static void reflect(int n, struct particle *restrict ps, double dt) {
  for (int i = 0; i < n; i++) {
    struct particle q = ps[i];
    for (int k = 0; k < 3; k++) {
      q.x[k] += dt * q.v[k];
      if (q.x[k] < 0) {
        q.x[k] = -q.x[k];
        q.v[k] = -q.v[k];
      }
    }
    q.kind += 1;
    ps[i] = q;
  }
}

static void grey(int h, int w, colour *restrict out, const colour *restrict in) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      colour c = in[y * w + x];
      unsigned char g = (c.r * 77 + c.g * 151 + c.b * 28) >> 8;
      colour d = {g, g, g};
      out[y * w + x] = d;
    }
}

// Choices between structures that functions return, one in another, and in an argument.
static void bounce(int n, int m, vector *restrict out, const vector *restrict p, float s) {
  for (int i = 0; i < n; i++) {
    vector v = p[i];
    for (int k = 0; k < m; k++) {
      v = v.x > s ? add(v, scale(p[i], s)) : v.y > s ? minus(v, p[i]) : scale(v, -0.5f);
      v = add(v, v.z > 0 ? p[i] : scale(v, 0.5f));
      v.z += (v.x < s ? scale(v, s) : v).y;
    }
    out[i] = v;
  }
}

static void boxes(int n, int m, box *restrict out, const vector *restrict p) {
  for (int i = 0; i < n; i++) {
    box all = {{1e30f, 1e30f, 1e30f}, {.x = -1e30f, -1e30f, -1e30f}};
    for (int j = 0; j < m; j++) {
      vector v = p[i * m + j];
      all.low.x = fminf(all.low.x, v.x), all.high.x = fmaxf(all.high.x, v.x);
      all.low.y = fminf(all.low.y, v.y), all.high.y = fmaxf(all.high.y, v.y);
      all.low.z = fminf(all.low.z, v.z), all.high.z = fmaxf(all.high.z, v.z);
    }
    out[i] = all;
  }
}

static void corners(int n, float *restrict out, const box *restrict in) {
  for (int i = 0; i < n; i++) {
    vector c[8], centre = scale(add(in[i].low, in[i].high), 0.5f);
    float sum = 0;
    for (int k = 0; k < 8; k++) {
      c[k] = in[i].low;
      if (k & 1) c[k].x = in[i].high.x;
      if (k & 2) c[k].y = in[i].high.y;
      if (k & 4) c[k].z = in[i].high.z;
    }
    for (int k = 0; k < 8; k++) sum += dot(minus(c[k], centre), c[7 - k]);
    out[i] = sum;
  }
}

typedef struct {
  vector origin, direction;
} ray;

static inline vector normal(vector a) { return scale(a, 1.0f / sqrtf(dot(a, a))); }
static inline int meets(body s, ray r, float *at) {
  vector to = minus(r.origin, s.p);
  float b = dot(to, r.direction), c = dot(to, to) - s.mass * s.mass, d = b * b - c;
  if (d < 0) return 0;
  float first = -b - sqrtf(d);
  if (first < 1e-3f) return 0;
  *at = first;
  return 1;
}
static inline vector seen(ray r, const body *s, int n, vector light) {
  float best = FLT_MAX;
  int which = -1;
  for (int k = 0; k < n; k++) {
    float at;
    if (meets(s[k], r, &at) && at < best) best = at, which = k;
  }
  vector sky = {0.25f, 0.25f, 0.5f};
  if (which < 0) return sky;
  vector n_ = normal(minus(add(r.origin, scale(r.direction, best)), s[which].p));
  float l = dot(n_, light);
  if (l < 0) l = 0;
  return scale(s[which].v, 0.1f + 0.9f * l);
}

static void render(int w, int h, const body *restrict s, int n, vector *restrict out) {
  vector light = normal((vector){1, 1, -1});
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      ray r = {{0, 0, -3}, {(x - w / 2.0f) / w, (y - h / 2.0f) / h, 1}};
      vector direction;
      r.direction = direction = normal(r.direction);
      out[y * w + x] = seen(r, s, n, light);
    }
}

static float random_number(void) { return rand() / (float)RAND_MAX; }
static void fill(vector *v) { *v = (vector){random_number(), random_number(), random_number()}; }
static double sum_of(const float *v, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s = s * 0.999 + v[i];
  return s;
}

enum { N = 700, M = 700 };

int main(void) {
  body *b = malloc(N * sizeof *b);
  vector *p = malloc(N * M * sizeof *p), *q = malloc(N * M * sizeof *q);
  int *near = malloc(N * sizeof *near);
  matrix *u = malloc(N * M * sizeof *u), *v = malloc(N * M * sizeof *v);
  struct particle *ps = calloc(N * M, sizeof *ps);
  colour *c = malloc(N * M * sizeof *c), *d = malloc(N * M * sizeof *d);
  box *all = malloc(N * sizeof *all);
  float *sums = malloc(N * sizeof *sums);
  srand(1);
  for (int i = 0; i < N; i++) fill(&b[i].p), fill(&b[i].v), b[i].mass = random_number();
  for (int i = 0; i < N * M; i++) {
    fill(&p[i]), fill(&q[i]);
    c[i] = (colour){rand(), rand(), rand()};
    for (int k = 0; k < 3; k++) ps[i].x[k] = random_number(), ps[i].v[k] = random_number() - 0.9;
    for (int k = 0; k < 9; k++) u[i].m[k / 3][k % 3] = v[i].m[k % 3][k / 3] = random_number();
  }
  attract(N, b, 0.01f);
  printf("attract %.9g\n", sum_of((float *)b, N * 7L));
  for (int i = 0; i < 9; i++) b[i].mass = 0.2f, b[i].p.x = i * 0.2f - 1;
  render(150, 100, b, 9, p);
  printf("render %.9g\n", sum_of((float *)p, 150 * 100 * 3L));
  nearest(N, N, p, b, near);
  for (int i = 0; i < N; i += 37) printf(" %d", near[i]);
  squares(N * M, u, v);
  printf("\nsquares %.9g %.9g\n", u[0].m[0][0], u[N * M - 1].m[2][1]);
  swaps(N, M, p, q);
  printf("swaps %.9g\n", sum_of((float *)p, N * M * 3L));
  reflect(N * M, ps, 0.25);
  double moved = 0;
  for (int i = 0; i < N * M; i++) moved += ps[i].x[i % 3] * ps[i].kind + ps[i].v[0];
  printf("reflect %.12g\n", moved);
  grey(N, M, d, c);
  long greys = 0;
  for (int i = 0; i < N * M; i++) greys = greys * 31 + d[i].g + d[i].b;
  printf("grey %ld\n", greys);
  bounce(N * M, 9, q, p, 0.25f);
  printf("bounce %.9g\n", sum_of((float *)q, N * M * 3L));
  boxes(N, M, all, q);
  corners(N, sums, all);
  printf("boxes %.9g\ncorners %.9g\n", sum_of((float *)all, N * 6L), sum_of(sums, N));
  free(b), free(p), free(q), free(near), free(u), free(v), free(ps), free(c), free(d), free(all);
  free(sums);
  return 0;
}
