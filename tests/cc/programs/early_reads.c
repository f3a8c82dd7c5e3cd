/* Numbers in memory that bound loops: pointers are null where the program does not read them. */
#include <stdio.h>
#include <string.h>
struct part { int n, m; };
struct inner { struct part *part; int n; };
struct grid { int n; double scale; struct inner *inner; _Bool on; };
struct arrays { double *v; int n; };
static double A[24][24], B[24][24], v[24], w[24];


static void columns(int k, struct grid *g) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < g->n; j++)
      A[j][i] += B[j][i] * 0.5;
#pragma endscop
}

/* The second bound is read only if the first one leads there. */
static void volume(int k, int *ext) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < ext[0]; j++)
      for (int l = 0; l < ext[1]; l++)
        A[j][l] += B[l][i];
#pragma endscop
}

static void shifted(int k, int *lim) {
#pragma scop
  if (k > 3)
    for (int i = 0; i < 8; i++)
      v[i] += lim[1] + i;
#pragma endscop
}

/* What the condition does not hold for is executed as it was. */
static void partly(int k, int *n) {
#pragma scop
  for (int i = 0; i < 9; i++) {
    v[i] += i;
    if (k > 2)
      for (int j = 0; j < *n; j++)
        A[i][j] += B[j][i];
  }
#pragma endscop
}

static void otherwise(int k, int *n) {
#pragma scop
  for (int i = 0; i < 6; i++)
    if (k >= 0)
      v[i] += 1;
    else
      w[i] += *n;
#pragma endscop
}

static void both(int k, struct grid *g) {
#pragma scop
  if (k > 0 && g->n > 4)
    for (int i = 0; i < g->n; i++)
      v[i] += k;
#pragma endscop
}

static void either(int k, int *n) {
#pragma scop
  if (k > 0 || *n > 4)
    for (int i = 0; i < 5; i++)
      v[i] += k;
#pragma endscop
}

/* The bound is tested once although the loop is empty, its second part only if the first holds. */
static void tested(int k, int *n, int *m) {
#pragma scop
  for (int i = 0; i < k && i < *n; i++)
    for (int j = 0; j < 3; j++)
      A[i][j] += 1;
  for (int i = 0; i < 4; i++)
    for (int j = i; j < *m; j++)
      A[j][i] += 2;
#pragma endscop
}

static void chosen(int k, int *n) {
#pragma scop
  for (int i = 0; i < 7; i++)
    v[i] += k > 3 ? *n : i;
#pragma endscop
}

/* Whether the number is read depends on data. */
static void masked(struct grid *g, int *n) {
#pragma scop
  for (int i = 0; i < 9; i++)
    if (w[i] > 3) {
      v[i] += g->n + *n;
      v[i] *= g->scale;
    }
#pragma endscop
}

static void second_part(int *n) {
#pragma scop
  for (int i = 0; i < 9; i++)
    if (w[i] > 3 && *n > 2)
      v[i] += 1;
#pragma endscop
}

static void scaled(int k, struct grid *g) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      if (g->on)
        A[j][i] += B[i][j] * g->scale;
#pragma endscop
}

static void chain(int k, struct grid *g) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < g->inner->n; j++)
      for (int l = 0; l < g->inner->part->m; l++)
        A[j][l] += B[l][i];
#pragma endscop
}

/* Each bound is the condition of the next. */
static void stairs(int *a, int *b, int *c) {
#pragma scop
  for (int i = 0; i < *a; i++) {
    w[i] += 1;
    for (int j = i + 2; j < *b; j++)
      for (int l = j; l < *c; l++)
        A[l][j] += B[i][l];
  }
#pragma endscop
}

/* Read in two places, of which one is enough. */
static void two_places(int k, int m, int *n) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < *n; j++)
      A[j][i] += 1;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < *n; j++)
      A[i][j] *= 2;
#pragma endscop
}

static void products(int k, int m, int *n) {
#pragma scop
  for (int i = 0; i < k * m; i++)
    for (int j = 0; j < *n; j++)
      A[j][i] += B[i][j];
#pragma endscop
}

static void product_of_read(int k, int *m, int *n) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < *m * k; j++)
      for (int l = 0; l < *n; l++)
        A[l][j] += B[j][l];
#pragma endscop
}

static void strided(int k, int *n) {
#pragma scop
  for (int i = 1; i < k; i += 3)
    if (i % 6 == 4)
      for (int j = *n - 1; j >= 0; j--)
        A[j][i] += B[i][j];
#pragma endscop
}

/* An array that is too short for what is not read. */
static int no_sizes[1] = {3};
static void constant_elements(int k, int *m) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < m[7]; j++)
      A[j][i] += no_sizes[0];
#pragma endscop
}

static int first_of(const int *p) { int x = *p; return x + 1; }
static void called(int k, int *p) {
#pragma scop
  if (k > 0 && first_of(p) > 3)
    for (int i = 0; i < 5; i++)
      v[i] += 1;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < 4; j++)
      A[i][j] += first_of(p);
#pragma endscop
}

static void copy_to(int n, double *to) {
  for (int j = 0; j < n; j++)
    to[j] = j;
}
static void inlined(int k, struct grid *g) {
#pragma scop
  for (int i = 0; i < k; i++)
    copy_to(g->n, A[i]);
#pragma endscop
}

static void own(int k, struct grid *g) {
#pragma scop
  for (int i = 0; i < k; i++) {
    int n = g->n;
    for (int j = 0; j < n; j++)
      A[j][i] = B[i][j] + n;
  }
#pragma endscop
}

/* The addresses for the check of aliases need what the region reads. */
static void aliased(int k, struct arrays *s, double *to) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < s->n; j++)
      to[j + i] = s->v[j] + i;
#pragma endscop
}

static void flat(int k, struct grid *g, double *p) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < g->n; j++)
      p[i * g->n + j] += j;
#pragma endscop
}

static void elements(int k, int *x, double *restrict to) {
#pragma scop
  for (int i = 0; i < k; i++)
    for (int j = 0; j < 5; j++)
      to[j] += x[0] * 0.5 + x[i];
#pragma endscop
}

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < 24; i++) {
    sum += (v[i] + 2 * w[i]) * (i + 1);
    for (int j = 0; j < 24; j++)
      sum += A[i][j] * (24 * i + j + 1);
  }
  printf("%s %.17g\n", name, sum);
  fflush(stdout);
}

int main(void) {
  struct part part = {4, 6};
  struct inner inner = {&part, 5}, last = {NULL, 0};
  struct grid g = {7, 0.5, &inner, 1}, f = {4, 0.75, &last, 0}, h = {5, 0.25, 0, 1};
  struct grid none = {0, 1, 0, 0};
  struct arrays s = {w, 6};
  int ext[8] = {9, 5, 3, 2, 6, 1, 0, 4}, empty[2] = {0, 0}, one[1] = {0};
  for (int i = 0; i < 24; i++) {
    v[i] = i % 5, w[i] = i % 7;
    for (int j = 0; j < 24; j++)
      B[i][j] = i * 3 + j;
  }
  columns(6, &g), columns(3, &none), columns(0, NULL), columns(-2, NULL), show("columns");
  volume(3, ext), volume(2, one), volume(0, NULL), show("volume");
  shifted(5, ext), shifted(3, NULL), show("shifted");
  partly(3, ext), partly(2, NULL), partly(3, empty), show("partly");
  otherwise(-1, ext), otherwise(0, NULL), show("otherwise");
  both(1, &g), both(2, &f), both(0, NULL), show("both");
  either(1, NULL), either(0, ext), either(0, empty), show("either");
  tested(5, ext, ext), tested(0, NULL, ext + 1), tested(-1, NULL, empty), show("tested");
  chosen(4, ext), chosen(3, NULL), show("chosen");
  masked(&g, ext), show("masked");
  second_part(ext), show("second_part");
  memset(w, 0, sizeof w);
  masked(NULL, NULL), second_part(NULL), show("masked by data");
  for (int i = 0; i < 24; i++)
    w[i] = i % 7;
  scaled(5, &g), scaled(4, &f), scaled(0, NULL), show("scaled");
  chain(4, &g), chain(3, &f), chain(0, NULL), show("chain");
  stairs(ext + 2, ext, ext), stairs(ext + 5, ext + 3, NULL), stairs(empty, NULL, NULL);
  show("stairs");
  two_places(3, 2, ext + 1), two_places(0, 2, ext + 1), two_places(2, -1, ext);
  two_places(0, 0, NULL), show("two_places");
  products(3, 4, ext), products(-2, 3, NULL), products(0, 3, NULL), show("products");
  product_of_read(2, ext + 2, ext), product_of_read(2, empty, NULL);
  product_of_read(0, NULL, NULL), show("product_of_read");
  strided(14, ext + 1), strided(4, NULL), strided(0, NULL), show("strided");
  constant_elements(3, ext), constant_elements(0, one), constant_elements(0, NULL);
  show("constant_elements");
  called(2, ext), called(0, NULL), show("called");
  inlined(4, &g), inlined(0, NULL), show("inlined");
  own(4, &g), own(0, NULL), show("own");
  aliased(3, &s, v), aliased(2, &s, w), aliased(0, NULL, NULL), show("aliased");
  flat(3, &h, A[2]), flat(0, NULL, NULL), show("flat");
  elements(4, ext, v), elements(0, NULL, v), show("elements");
  return 0;
}
