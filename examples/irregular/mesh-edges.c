// The edges of an unstructured mesh, as in a flow solver such as airfoil: each edge has two nodes,
// and a flux between them, which is added to the residual of one and taken from that of the other.
void mesh_edges(int edges, const int (*node)[2], const double *restrict weight,
                const double (*restrict q)[4], double (*restrict residual)[4]) {
#pragma scop
  for (int e = 0; e < edges; e++)
    for (int c = 0; c < 4; c++) {
      double flux = weight[e] * (q[node[e][0]][c] - q[node[e][1]][c]);
      residual[node[e][0]][c] += flux;
      residual[node[e][1]][c] -= flux;
    }
#pragma endscop
}
