/* Memory under two names: the result is that of the original whether they overlap or not. */
#include <stdio.h>
#include <stdlib.h>

struct image {
  double *pixels, border[4];
  int width;
};

static double buffer[64], table[8][16];
static int limit = 12, numbers[32];

static void fill(void) {
  for (int i = 0; i < 64; i++)
    buffer[i] = i % 11;
  for (int i = 0; i < 128; i++)
    table[i / 16][i % 16] = i % 7;
  for (int i = 0; i < 32; i++)
    numbers[i] = i % 5;
  limit = 12;
}

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < 64; i++)
    sum = sum * 0.75 + buffer[i];
  for (int i = 0; i < 128; i++)
    sum = sum * 0.75 + table[i / 16][i % 16];
  for (int i = 0; i < 32; i++)
    sum = sum * 0.75 + numbers[i];
  printf("%s %.17g %d\n", name, sum, limit);
}

static void shift(int n, double *to, const double *from) {
#pragma scop
  for (int i = 1; i < n; i++)
    to[i] = from[i - 1] * 2 + to[i];
#pragma endscop
}

static void planes(int n, double to[][16], double from[][16]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j >= i; j -= 2)
      to[j][i] += from[i][j] - 1;
#pragma endscop
}

static void to_limit(int *to) {
#pragma scop
  for (int i = 0; i < limit; i++)
    to[i] = (to[i] + 9) % 10;
#pragma endscop
}

static void images(struct image *to, struct image *from) {
#pragma scop
  for (int i = 0; i < from->width; i++) {
    to->pixels[i] = from->pixels[i] + to->border[i % 4];
    from->border[i % 4] += 1;
  }
#pragma endscop
}

static void chosen(int flag, int n) {
  double *row = flag ? table[2] : buffer;
#pragma scop
  for (int i = 1; i < n; i++)
    row[i] = table[2][i - 1] + 1;
#pragma endscop
}

static void halves(int n) {
  double *low = buffer, *high = buffer + n;
#pragma scop
  for (int i = 0; i < n; i++)
    high[i] = low[n - 1 - i] + 1;
  for (int i = 1; i < n; i++)
    low[i] = low[i - 1] - high[i];
#pragma endscop
}

int main(void) {
  const int offsets[] = {0, 1, 5, 30};
  for (int k = 0; k < 4; k++) {
    fill(); shift(20, buffer, buffer + offsets[k]); show("shift");
    fill(); shift(20, buffer + offsets[k], buffer); show("back");
    fill(); shift(k, buffer, buffer); show("short");
  }
  fill(); planes(4, table, table); show("planes");
  fill(); planes(4, table, table + 1); show("planes");
  fill(); planes(4, table, table + 4); show("planes");
  fill(); to_limit(numbers); show("limit");
  fill(); to_limit(&limit); show("limit");
  struct image one = {buffer, {1, 2, 3, 4}, 10}, two = {buffer + 3, {5, 6, 7, 8}, 10};
  fill(); images(&one, &two); show("images");
  fill(); images(&one, &one); show("images");
  two.pixels = buffer + 30;
  fill(); images(&two, &one); show("images");
  one.pixels = NULL;
  one.width = 0;
  fill(); images(&two, &one); show("images");
  fill(); chosen(0, 12); show("chosen");
  fill(); chosen(1, 12); show("chosen");
  fill(); halves(20); show("halves");
  return 0;
}
