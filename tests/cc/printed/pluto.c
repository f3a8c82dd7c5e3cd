#include <math.h>
#include <stdio.h>
#define ceild(n,d)  (((n)<0) ? -((-(n))/(d)) : ((n)+(d)-1)/(d))
#define floord(n,d) (((n)<0) ? -((-(n)+(d)-1)/(d)) : (n)/(d))
#define max(x,y)    ((x) > (y)? (x) : (y))
#define min(x,y)    ((x) < (y)? (x) : (y))
#define N 100
#define T 20
static double a[N][N];
static void seidel(void) {
  int t1, t2, t3, t4, t5, t6;
  int lb, ub, lbp, ubp, lb2, ub2;
  register int lbv, ubv;
#pragma scop
/* Start of CLooG code */
for (t1=0;t1<=floord(T-1,32);t1++) {
  for (t2=t1;t2<=min(floord(32*t1+N+29,32),floord(T+N-3,32));t2++) {
    for (t3=max(ceild(64*t2-N-28,32),t1+t2);t3<=min(min(min(min(floord(32*t1+N+29,16),floord(2*T+2*N-6,32)),floord(64*t2+N+59,32)),floord(32*t1+32*t2+N+60,32)),floord(32*t2+T+N+28,32));t3++) {
      for (t4=max(max(max(32*t1,32*t2-N+2),16*t3-N+2),-32*t2+32*t3-N-29);t4<=min(min(min(min(T-1,32*t1+31),32*t2+30),16*t3+14),-32*t2+32*t3+30);t4++) {
        for (t5=max(max(32*t2,t4+1),32*t3-t4-N+2);t5<=min(min(32*t2+31,32*t3-t4+30),t4+N-2);t5++) {
          for (t6=max(32*t3,t4+t5+1);t6<=min(32*t3+31,t4+t5+N-2);t6++) {
            a[(-t4+t5)][(-t4-t5+t6)]=(a[(-t4+t5)-1][(-t4-t5+t6)-1]+a[(-t4+t5)-1][(-t4-t5+t6)]+a[(-t4+t5)-1][(-t4-t5+t6)+1]+a[(-t4+t5)][(-t4-t5+t6)-1]+a[(-t4+t5)][(-t4-t5+t6)]+a[(-t4+t5)][(-t4-t5+t6)+1]+a[(-t4+t5)+1][(-t4-t5+t6)-1]+a[(-t4+t5)+1][(-t4-t5+t6)]+a[(-t4+t5)+1][(-t4-t5+t6)+1])/9.0;;
          }
        }
      }
    }
  }
}
/* End of CLooG code */
#pragma endscop
  (void)lb; (void)ub; (void)lbp; (void)ubp; (void)lb2; (void)ub2; (void)lbv; (void)ubv;
}
static double A[N][N], B[N][N], C[N][N];
static void gemm(int n, double alpha) {
  int t1, t2, t3, t4, t5, t6;
  int lbp, ubp;
  register int lbv, ubv;
#pragma scop
if (n >= 1) {
  lbp=0;
  ubp=floord(n-1,32);
#pragma omp parallel for private(lbv,ubv,t2,t3,t4,t5,t6)
  for (t1=lbp;t1<=ubp;t1++) {
    for (t2=0;t2<=floord(n-1,32);t2++) {
      for (t3=0;t3<=floord(n-1,32);t3++) {
        for (t4=32*t1;t4<=min(n-1,32*t1+31);t4++) {
          for (t5=32*t3;t5<=min(n-1,32*t3+31);t5++) {
            lbv=32*t2;
            ubv=min(n-1,32*t2+31);
#pragma ivdep
#pragma vector always
            for (t6=lbv;t6<=ubv;t6++) {
              C[t4][t6] += alpha * A[t4][t5] * B[t5][t6];;
            }
          }
        }
      }
    }
  }
}
#pragma endscop
}
int main(void) {
  for (int i = 0; i < N * N; i++) { a[i / N][i % N] = i % 17; A[i / N][i % N] = i % 7; B[i / N][i % N] = i % 5; }
  seidel(); gemm(N, 1.5); gemm(70, 0.5);
  for (int i = 0; i < N; i++) printf("%.17g %g\n", a[i][(i * 7) % N], C[i][(i * 7) % N]);
  return 0;
}
