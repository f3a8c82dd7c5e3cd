#include <stdio.h>

// PoCL 3.0 loses the stores of this region's kernel when it optimises.
static long A[4][8], B[3] = {7, -3, -9};

int main(void) {
#pragma scop
  for (int i = 0; i < 4; i += 2)
    for (int j = 1; j < 2; j++)
      for (int k = i - 1; k < 3; k++)
        A[i][j + 2] = B[i] + B[j] < 0 ? B[i] + B[j] : 0;
#pragma endscop
  printf("%ld %ld\n", A[0][3], A[2][3]);
  return 0;
}
