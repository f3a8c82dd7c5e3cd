/* Comparisons, minima, maxima and clamps of narrow integers, which C promotes to int: signed and
   unsigned, with constants. */
#include <stdint.h>
#include <stdio.h>

#define SIZE 1000
static uint8_t u8[3][SIZE];
static int8_t s8[3][SIZE];
static int16_t s16[3][SIZE];
static uint16_t u16[3][SIZE];

static void set(void) {
  for (int k = 0; k < SIZE; k++)
    for (int n = 0; n < 3; n++) {
      u8[n][k] = k * (37 + n) + 5 * n;
      s8[n][k] = k * (91 + n) - 128;
      s16[n][k] = k * (7919 + n) - 32768;
      u16[n][k] = k * (7907 + n);
    }
}

static void print(const char *title) {
  unsigned long sum = 0;
  for (int k = 0; k < SIZE; k++)
    sum = sum * 31 + u8[0][k] + 3 * s8[0][k] + 5 * s16[0][k] + 7 * u16[0][k];
  printf("%s %lu\n", title, sum);
}

static void greater(int n, uint8_t *restrict a, const uint8_t *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = a[i] > b[i] ? a[i] : b[i];
#pragma endscop
}

static void clamped(int n, int8_t *restrict a, const int8_t *restrict b, const int8_t *restrict c) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[i] < -100 ? -100 : b[i] > c[i] ? c[i] : b[i];
#pragma endscop
}

static void thresholds(int n, uint16_t *restrict a, const uint16_t *restrict b,
                       const uint16_t *restrict c) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[i] >= 40000 ? 65535 : b[i] <= c[i] ? b[i] : c[i];
#pragma endscop
}

static void mixed(int n, int16_t *restrict a, const int16_t *restrict b,
                  const uint16_t *restrict c) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[i] > c[i] ? b[i] : c[i] / 2;
#pragma endscop
}

static void median(int n, int16_t *restrict a, const int16_t *restrict b,
                   const int16_t *restrict c) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int low = a[i] < b[i] ? a[i] : b[i];
    int high = a[i] < b[i] ? b[i] : a[i];
    int middle = high < c[i] ? high : c[i];
    a[i] = low > middle ? low : middle;
  }
#pragma endscop
}

int main(void) {
  for (int n = 0; n <= SIZE; n += n ? 333 : 1) {
    set();
    greater(n, u8[0], u8[1]);
    clamped(n, s8[0], s8[1], s8[2]);
    thresholds(n, u16[0], u16[1], u16[2]);
    median(n, s16[0], s16[1], s16[2]);
    print("selected");
    mixed(n, s16[0], s16[1], u16[1]);
    print("wide");
  }
  return 0;
}
