// Figure 15.21: the time steps of molecular dynamics. Molecules move; pairs of molecules near each
// other exert forces on both; forces change velocities.
void moldyn(int steps, int molecules, int pairs, const int *left, const int *right,
            double *restrict x, double *restrict vx, double *restrict fx) {
#pragma scop
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < molecules; i++)
      x[i] += vx[i] + fx[i];
    for (int j = 0; j < pairs; j++) {
      double force = (x[left[j]] - x[right[j]]) * 0.125;
      fx[left[j]] -= force;
      fx[right[j]] += force;
    }
    for (int k = 0; k < molecules; k++)
      vx[k] += fx[k] * 0.125;
  }
#pragma endscop
}
