// The original code is indented in its branch, braces are where something is declared, and what is
// tested before a region is not tested in it.
// RUN: polyir-cc --pluto-schedule %s 2>/dev/null | grep -v CHECK | filecheck %s --strict-whitespace --match-full-lines
static double x[64];

//CHECK:void restricted(int n, double *restrict a) {
//CHECK-NEXT:  for (long i = 0; i < n; i++) {
void restricted(int n, double *restrict a) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] += 1;
#pragma endscop
}

//CHECK:      for (int i = 0; i < n; i++)
//CHECK-NEXT:        // Indented by more.
//CHECK-NEXT:        a[i] += b[i];
//CHECK-NEXT:}
//CHECK:void checked(int n, double *a, double *b) {
//CHECK-NEXT:      if (n >= 1 &&
//CHECK-NEXT:          polyir_disjoint(&b[0], &b[(long)n - 1] + 1, &a[0], &a[(long)n - 1] + 1)) {
//CHECK-NEXT:        for (long i = 0; i < n; i++) {
//CHECK-NEXT:          a[i] += b[i];
//CHECK-NEXT:        }
//CHECK-NEXT:      } else {
//CHECK-NEXT:        checked_original(n, a, b);
//CHECK-NEXT:      }
//CHECK-NEXT:}
void checked(int n, double *a, double *b) {
#pragma scop
      for (int i = 0; i < n; i++)
        // Indented by more.
        a[i] += b[i];
#pragma endscop
}

//CHECK:{
//CHECK-NEXT:  const int m_0 = m[0];
void declared(int *m) {
#pragma scop
for (int i = 0; i < m[0]; i++)
  x[i] += 1;
#pragma endscop
}

//CHECK:	if (n >= 1 &&
//CHECK-NEXT:	    polyir_disjoint(&b[0], &b[(long)n - 1] + 1, &a[0], &a[(long)n - 1] + 1)) {
//CHECK:	} else {
//CHECK-NEXT:	  tabulators_original(n, a, b);
//CHECK-NEXT:	}
void tabulators(int n, double *a, double *b) {
#pragma scop
	for (int i = 0; i < n; i++)
		a[i] -= b[i];
#pragma endscop
}

// The loop that follows a condition, or a label, is not a statement of a block.
// RUN: grep -vE 'CHECK|scop' %s | sed -e 's/^.. ALONE //' > %t.c
// RUN: polyir-cc --pluto-schedule %t.c 2>/dev/null | grep -v BRACES | filecheck %s --check-prefix BRACES --strict-whitespace --match-full-lines
//BRACES:  if (n > 3)
//BRACES-NEXT:  {
//BRACES-NEXT:    if (n >= 1 &&
//BRACES:  }
//BRACES-NEXT:  else
//BRACES-NEXT:    a[0] = 1;
// ALONE void after_a_condition(int n, double *a, double *b) {
// ALONE   if (n > 3)
// ALONE   for (int i = 0; i < n; i++)
// ALONE     a[i] += b[i];
// ALONE   else
// ALONE     a[0] = 1;
// ALONE }
