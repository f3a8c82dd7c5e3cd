// PageRank by links: page i gives each page that it links to, col[k] for k from rowptr[i] to before
// rowptr[i + 1], an equal share of its rank.
void pagerank(int steps, int n, double base, double damping, const int *rowptr, const int *col,
              const double *restrict share, double *restrict rank, double *restrict next) {
#pragma scop
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      next[i] = base;
    for (int i = 0; i < n; i++) {
      double given = rank[i] * (damping * share[i]);
      for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
        next[col[k]] += given;
    }
    for (int i = 0; i < n; i++)
      rank[i] = next[i];
  }
#pragma endscop
}
