// Figure 15.16: an array that each iteration of i fills, and then reads through an index array with
// values in the part that was filled. The iterations can run in parallel with an array of their own.
enum { size = 256 };

void fill_and_gather(int n, int l, int m, const int *pos, const double (*restrict B)[size],
                     double (*restrict C)[size]) {
#pragma polyir index_array(pos: range(l, m + 1))
#pragma scop
  double x[size];
  for (int i = 0; i < n; i++) {
    for (int j = l; j <= m; j++)
      x[j] = B[i][j];
    for (int k = 0; k < n; k++)
      C[i][k] = x[pos[k]];
  }
#pragma endscop
}
