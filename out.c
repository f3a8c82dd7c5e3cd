// The solution x of L x = b for a lower triangular matrix in compressed rows (CSR), whose diagonal
// is apart: d_inv has the reciprocals.
static inline long polyir_min(long a, long b) {
  return a < b ? a : b;
}

static inline long polyir_max(long a, long b) {
  return a > b ? a : b;
}

static inline long polyir_ceildiv(long a, long b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// Array sizes: order[order_0], starts[starts_0]
static void triangular_solve_inspector(
    const int *restrict col, const int *restrict rowptr, long n, const double *restrict x,
    long *restrict order, long order_0, long *restrict starts, long starts_0,
    long *restrict wavefronts) {
  (void)x; (void)order_0; (void)starts_0;
  const long t = polyir_max(polyir_ceildiv(polyir_max(n, 0), 100), 0);
  long x_first = 0;
  long x_last = -1;
  for (long i = 0; i < n; i++) {
    const long t_1 = (long)rowptr[i];
    const long t_2 = (long)rowptr[i + 1];
    for (long k = t_1; k < t_2; k++) {
      const long t_3 = (long)col[k];
      x_first = polyir_min(x_first, t_3);
      x_last = polyir_max(x_last, t_3);
    }
    x_first = polyir_min(x_first, i);
    x_last = polyir_max(x_last, i);
  }
  const long t_1 = x_first;
  const long t_2 = x_last - t_1 + 1;
  long *restrict x_read = __builtin_malloc(sizeof(long) * t_2);
  long *restrict x_written = __builtin_malloc(sizeof(long) * t_2);
  for (long e = 0; e < t_2; e++) {
    x_read[e] = 0;
  }
  for (long e = 0; e < t_2; e++) {
    x_written[e] = 0;
  }
  long *restrict wavefront = __builtin_malloc(sizeof(long) * t);
  *wavefronts = 0;
  long current = 0;
  for (long t_3 = 0; t_3 < t; t_3++) {
    current = 0;
    const long t_4 = (long)1 * 100;
    const long t_5 = t_3 * t_4;
    for (long i = t_5; i < polyir_min(t_5 + t_4, n); i++) {
      const long t_6 = (long)rowptr[i];
      const long t_7 = (long)rowptr[i + 1];
      for (long k = t_6; k < t_7; k++) {
        current = polyir_max(current, x_written[(long)col[k] - t_1]);
      }
      const long t_8 = i - t_1;
      current = polyir_max(current, x_written[t_8]);
      current = polyir_max(current, x_read[t_8]);
    }
    const long t_6 = current;
    wavefront[t_3] = t_6;
    const long t_7 = t_6 + 1;
    *wavefronts = polyir_max(*wavefronts, t_7);
    const long t_8 = (long)1 * 100;
    const long t_9 = t_3 * t_8;
    for (long i = t_9; i < polyir_min(t_9 + t_8, n); i++) {
      const long t_10 = (long)rowptr[i];
      const long t_11 = (long)rowptr[i + 1];
      for (long k = t_10; k < t_11; k++) {
        const long t_12 = (long)col[k] - t_1;
        x_read[t_12] = polyir_max(x_read[t_12], t_7);
      }
      x_written[i - t_1] = t_7;
    }
  }
  __builtin_free(x_read);
  __builtin_free(x_written);
  const long t_3 = *wavefronts;
  const long t_4 = t_3 + 1;
  long *restrict places = __builtin_malloc(sizeof(long) * t_4);
  for (long e = 0; e < t_3 + 1; e++) {
    places[e] = 0;
  }
  for (long t_5 = 0; t_5 < t; t_5++) {
    const long t_6 = wavefront[t_5] + 1;
    places[t_6] += 1;
  }
  starts[0] = 0;
  for (long w = 0; w < t_3; w++) {
    const long t_5 = w + 1;
    const long t_6 = places[w] + places[t_5];
    places[t_5] = t_6;
    starts[t_5] = t_6;
  }
  for (long t_5 = 0; t_5 < t; t_5++) {
    const long t_6 = wavefront[t_5];
    const long t_7 = places[t_6];
    order[t_7] = t_5;
    places[t_6] = t_7 + 1;
  }
  __builtin_free(places);
  __builtin_free(wavefront);
}

// Array sizes: order[order_0], starts[starts_0]
static void triangular_solve_executor(
    long n, const double *restrict b, const int *restrict rowptr, const double *restrict v,
    const int *restrict col, double *restrict x, const double *restrict d_inv,
    long *restrict order, long order_0, long *restrict starts, long starts_0,
    long *restrict wavefronts) {
  (void)order_0; (void)starts_0;
  const long t = *wavefronts;
  for (long w = 0; w < t; w++) {
    const long t_1 = starts[w];
    const long t_2 = starts[w + 1];
    #pragma omp parallel for
    for (long t_3 = t_1; t_3 < t_2; t_3++) {
      const long t_4 = (long)1 * 100;
      const long t_5 = order[t_3] * t_4;
      for (long i = t_5; i < polyir_min(t_5 + t_4, n); i++) {
        double sum = b[i];
        const long t_6 = (long)rowptr[i];
        const long t_7 = (long)rowptr[i + 1];
        for (long k = t_6; k < t_7; k++) {
          sum -= v[k] * x[(long)col[k]];
        }
        x[i] = sum * d_inv[i];
      }
    }
  }
}

void triangular_solve(int n, const int *rowptr, const int *col, const double *restrict v,
                      const double *restrict d_inv, const double *restrict b, double *restrict x) {
{
  const long t = polyir_max(polyir_ceildiv(polyir_max(n, 0), 100), 0);
  long *restrict order = __builtin_malloc(sizeof(long) * t);
  const long t_1 = polyir_max(polyir_ceildiv(polyir_max(n, 0), 100), 0) + 1;
  long *restrict starts = __builtin_malloc(sizeof(long) * t_1);
  long wavefronts = 0;
  triangular_solve_inspector(col, rowptr, n, x, order, t, starts, t_1, &wavefronts);
  triangular_solve_executor(n, b, rowptr, v, col, x, d_inv, order, t, starts, t_1, &wavefronts);
  __builtin_free(order);
  __builtin_free(starts);
}
}
