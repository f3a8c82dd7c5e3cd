// Which sizes are expected: by pragmas, by --size, and by nothing. They change no result.
// RUN: polyir-cc --optimize=machine=generic --remarks %s 2>&1 | filecheck %s
// RUN: polyir-cc --optimize=machine=generic --remarks "--size=n=7,q->rows=8" --size k=9 %s 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: polyir-cc --passes= --emit=loops %s 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: not polyir-cc --size=n=0 %s 2>&1 | filecheck %s --check-prefix=ZERO

// ZERO: error: argument --size: the size of 'n' must be 1 or more: 0

struct image { int rows, columns; };
enum { WIDE = 5000 };

// A pragma in front of a function is about its parameters, and one in it comes first.
// CHECK: sizes.c:[[@LINE+3]]:6: remark: [optimize] sizes: n = 40 (stated), m = 60 (stated)
// OPTION: remark: [optimize] sizes: n = 7 (stated), m = 60 (stated)
#pragma polyir size(n = 40, m = 50)
void function(int n, int m, double *restrict a, double *restrict b) {
#pragma scop
#pragma polyir size(m = 60)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i] += b[j];
#pragma endscop
}

// LOOPS: func.func @block({{.*}}%q_rows: index {polyir.size = 4000 : index}, %q_columns: index {polyir.size = 5000 : index}
// CHECK: remark: [optimize] sizes: q_rows = 4000 (stated), q_columns = 5000 (stated)
// CHECK: remark: [optimize] sizes: q_rows = 1000 (assumed)
// OPTION: remark: [optimize] sizes: q_rows = 8 (stated), q_columns = 5000 (stated)
void block(struct image *q, double *restrict a, double *restrict b) {
  {
#pragma polyir size(q->rows = 4000, q->columns = WIDE)
#pragma scop
    for (int i = 0; i < q->rows; i++)
      for (int j = 0; j < q->columns; j++)
        a[i] += b[j];
#pragma endscop
  }
#pragma scop
  for (int i = 0; i < q->rows; i++)
    a[i] *= 2;
#pragma endscop
}

// Another variable of this name is not meant.
// CHECK: remark: [optimize] sizes: n = 1000 (assumed)
// CHECK: remark: [optimize] sizes: n = 1000 (assumed)
void hidden(int n, double *restrict a) {
#pragma polyir size(n = 3)
  {
    int n = (int)a[0];
#pragma scop
    for (int i = 0; i < n; i++)
      a[i] *= 2;
#pragma endscop
  }
}

// CHECK: sizes.c:[[@LINE+3]]:9: warning: 'm' is not a parameter of the loops that follow
// OPTION: warning: --size: no region has the integer 'k' (there are: m, n, q->columns, q->rows)
void unused(int n, int m, double *restrict a) {
#pragma polyir size(m = 3)
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] *= 2;
#pragma endscop
  a[0] = m;
}
