// Temporaries of loop bodies: copies for each iteration would take far more memory than the arrays.
#include <stdio.h>
#define M 5000
#define ROWS 600
static double a[M], s[ROWS];
static float image[ROWS * 40], sharp[ROWS * 40];
static int counts[ROWS][32];

static void large_row(int n) {
  for (int i = 0; i < n; i++) {
    double row[M];
    for (int j = 0; j < M; j++)
      row[j] = a[j] * i + 1.0 / (j + 1);
    for (int j = 1; j < M - 1; j++)
      s[i] += row[M - 1 - j] * row[j - 1] + row[j + 1];
  }
}

static void two_rows(int n) {
  for (int i = 0; i < n; i++) {
    double row[M], other[M];
    for (int j = 0; j < M; j++) {
      row[j] = a[j] - i;
      other[j] = a[j] + i;
    }
    for (int j = 0; j < M; j++)
      s[i] += row[M - 1 - j] * other[j];
  }
}

static void row_from_outside(int n) {
  float row[M];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < M; j++)
      row[j] = (float)a[j] + (float)i;
    for (int j = 0; j < M; j++)
      s[i] += row[M - 1 - j];
  }
}

static void small_block(int n) {
  for (int i = 0; i < n; i++) {
    int block[8][4];
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 4; k++)
        block[j][k] = i * j + k;
    for (int j = 0; j < 32; j++)
      counts[i][j] += block[7 - j / 4][3 - j % 4] * 3;
  }
}

static void sharpened(const float *in, float *out, int h, int w, const float k[3][3]) {
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      float sum = 0.0f;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += k[dy + 1][dx + 1] * in[(y + dy) * w + (x + dx)];
      out[y * w + x] = sum;
    }
}

int main(void) {
  const float k[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
  for (int j = 0; j < M; j++)
    a[j] = j % 11;
  for (int j = 0; j < ROWS * 40; j++)
    image[j] = (float)(j % 13);
  large_row(ROWS);
  two_rows(ROWS);
  row_from_outside(ROWS);
  small_block(ROWS);
  sharpened(image, sharp, ROWS, 40, k);
  // Nothing is to be done where there are no columns, or no rows.
  sharpened(image, sharp, 3, 2, k);
  sharpened(image, sharp, 0, 40, k);
  double all = 0.0;
  for (int i = 0; i < ROWS; i++)
    all += s[i] + counts[i][5] + counts[i][30] + sharp[40 * i + 7];
  printf("%a\n", all);
  return 0;
}
