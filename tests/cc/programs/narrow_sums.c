/* Sums, products and shifts of narrow integers, whose results fit into 8 or 16 bits, or do not;
   in vectors with masks, of signed and unsigned elements. */
#include <stdint.h>
#include <stdio.h>

#define ROWS 4
#define SIZE 1000
static uint8_t u8[3][ROWS][SIZE + 2];
static int8_t s8[3][ROWS][SIZE + 2];
static int16_t s16[3][ROWS][SIZE + 2];
static uint16_t u16[3][ROWS][SIZE + 2];

static void set(void) {
  for (int k = 0; k < ROWS * (SIZE + 2); k++)
    for (int n = 0; n < 3; n++) {
      u8[n][k / (SIZE + 2)][k % (SIZE + 2)] = k * (37 + n) + 5 * n;
      s8[n][k / (SIZE + 2)][k % (SIZE + 2)] = k * (91 + n) - 128;
      s16[n][k / (SIZE + 2)][k % (SIZE + 2)] = k * (7919 + n) - 32768;
      u16[n][k / (SIZE + 2)][k % (SIZE + 2)] = k * (7907 + n);
    }
}

static void print(const char *title) {
  unsigned long sum = 0;
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < SIZE; k++)
      sum = sum * 31 + u8[0][r][k] + 3 * s8[0][r][k] + 5 * s16[0][r][k] + 7 * u16[0][r][k];
  printf("%s %lu\n", title, sum);
}

static void mean(int n, uint8_t (*restrict a)[SIZE + 2], const uint8_t (*restrict b)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++)
      a[r][i] = (b[r][i] + 2 * b[r][i + 1] + b[r][i + 2] + 2) >> 2;
#pragma endscop
}

static void sharpened(int n, uint8_t (*restrict a)[SIZE + 2],
                      const uint8_t (*restrict b)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++) {
      int x = 3 * b[r][i + 1] - b[r][i] - b[r][i + 2];
      a[r][i] = x < 0 ? 0 : x > 255 ? 255 : x;
    }
#pragma endscop
}

static void edges(int n, uint8_t (*restrict a)[SIZE + 2], const uint8_t (*restrict b)[SIZE + 2],
                  const uint8_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++) {
      int x = b[r][i + 2] - b[r][i], y = c[r][i + 2] - c[r][i];
      int length = (x < 0 ? -x : x) + (y < 0 ? -y : y);
      a[r][i] = length > 300 ? 255 : 0;
    }
#pragma endscop
}

static void alive(int n, uint8_t (*restrict a)[SIZE + 2], const uint8_t (*restrict b)[SIZE + 2],
                  const uint8_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++) {
      int count = (b[r][i] > 99) + (b[r][i + 1] > 99) + (b[r][i + 2] > 99);
      count += (c[r][i] > 99) + (c[r][i + 2] > 99);
      a[r][i] = count == 3 || (count == 2 && c[r][i + 1]);
    }
#pragma endscop
}

static void signs(int n, int16_t (*restrict a)[SIZE + 2], const int8_t (*restrict b)[SIZE + 2],
                  const int8_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++)
      a[r][i] = b[r][i] * c[r][i] - (b[r][i] >> 3) + (c[r][i] & 15);
#pragma endscop
}

static void wrapped(int n, int8_t (*restrict a)[SIZE + 2], const int8_t (*restrict b)[SIZE + 2],
                    const uint8_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++)
      a[r][i] = (int8_t)(b[r][i] * c[r][i] + 77);
#pragma endscop
}

static void wide(int n, uint16_t (*restrict a)[SIZE + 2], const uint16_t (*restrict b)[SIZE + 2],
                 const uint8_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++)
      a[r][i] = (b[r][i] * (c[r][i] >> 1) + 64) >> 7;
#pragma endscop
}

static void compared(int n, int16_t (*restrict a)[SIZE + 2], const int16_t (*restrict b)[SIZE + 2],
                     const uint16_t (*restrict c)[SIZE + 2]) {
#pragma scop
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++)
      a[r][i] = b[r][i] + 40000 > c[r][i] - b[r][i + 1] ? b[r][i] : 1 - (c[r][i] & 1023);
#pragma endscop
}

int main(void) {
  for (int n = 0; n <= SIZE; n += n ? 333 : 1) {
    set();
    mean(n, u8[0], u8[1]);
    print("mean");
    sharpened(n, u8[0], u8[1]);
    print("sharpened");
    edges(n, u8[0], u8[1], u8[2]);
    print("edges");
    alive(n, u8[0], u8[1], u8[2]);
    print("alive");
    signs(n, s16[0], s8[1], s8[2]);
    print("signs");
    wrapped(n, s8[0], s8[1], u8[2]);
    print("wrapped");
    wide(n, u16[0], u16[1], u8[2]);
    print("wide");
    compared(n, s16[0], s16[1], u16[2]);
    print("compared");
  }
  return 0;
}
