// RUN: not polyir-opt --plot-domain=picture.gif %s 2>&1 | filecheck %s --check-prefix FORMAT
// RUN: not polyir-opt --plot-schedule="file=%t.svg values=1,2" %s 2>&1 | filecheck %s --check-prefix VALUES
// RUN: not polyir-opt --plot-domain="file=%t.svg statements=T" %s 2>&1 | filecheck %s --check-prefix STATEMENT
// RUN: not polyir-opt --plot-domain="file=%t.svg size=100000" %s 2>&1 | filecheck %s --check-prefix MANY

func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %B[%i] : memref<?xf64>
  }
  return
}

// FORMAT: error: the file name 'picture.gif' must end in .svg or .png

// VALUES: error: expected one value per parameter (n), got 2

// STATEMENT: error: pass 'plot-domain': there is no statement 'T' (statements: S0)

// MANY: error: the box around the instances of S0 has 100000 points, more than 20000: choose a smaller size
