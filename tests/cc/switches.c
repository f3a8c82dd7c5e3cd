/* `switch`: chains of conditions. */
#include <stdio.h>

enum mode { ADD, MUL, MAX };

static void combine(enum mode m, int n, const float *a, const float *b, float *c) {
#pragma scop
  for (int i = 0; i < n; i++) {
    switch (m) {
      case ADD: c[i] = a[i] + b[i]; break;
      case MUL: c[i] = a[i] * b[i]; break;
      default: c[i] = a[i] > b[i] ? a[i] : b[i];
    }
  }
#pragma endscop
}

static void kinds(int n, const int *restrict k, int *restrict r) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int v = i;
    switch (k[i] % 6) {
      case 0:
      case 1: v += 10; break;
      default: v = -v; if (v < -5) break; v *= 3; /* fall through */
      case 2: v += 1; /* fall through */
      case 3: { v *= 2; if (i % 3) continue; break; }
      case 4: break;
    }
    r[i] = v;
  }
#pragma endscop
}

int main(void) {
  enum { N = 50 };
  float a[N], b[N], c[N];
  int k[N], r[N];
  for (int i = 0; i < N; i++) {
    a[i] = i * 7 % 13;
    b[i] = i * 3 % 11;
    k[i] = i * 5 % 17 - 3;
    r[i] = -1;
  }
  for (int mode = 0; mode < 3; mode++) {
    combine((enum mode)mode, N, a, b, c);
    for (int i = 0; i < N; i++)
      printf("%g ", c[i]);
  }
  kinds(N, k, r);
  for (int i = 0; i < N; i++)
    printf("%d ", r[i]);
  printf("\n");
}
