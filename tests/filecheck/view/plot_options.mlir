// RUN: not polyir-opt --plot-domain=picture.gif %s 2>&1 | filecheck %s --check-prefix FORMAT
// RUN: not polyir-opt --plot-schedule="file=%t.svg values=1,2" %s 2>&1 | filecheck %s --check-prefix VALUES
// RUN: not polyir-opt --plot-domain="file=%t.svg statements=T" %s 2>&1 | filecheck %s --check-prefix STATEMENT
// RUN: not polyir-opt --plot-domain="file=%t.svg size=100000" %s 2>&1 | filecheck %s --check-prefix MANY
// RUN: not polyir-opt --plot-domain="file=%t.svg arrays=C" %s 2>&1 | filecheck %s --check-prefix ARRAY
// RUN: not polyir-opt --plot-domain="file=%t.svg kinds=flow,ant" %s 2>&1 | filecheck %s --check-prefix KIND
// RUN: not polyir-opt --plot-domain="file=%t.svg arrows=-1" %s 2>&1 | filecheck %s --check-prefix ARROWS

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

// ARRAY: error: pass 'plot-domain': there is no array 'C' (arrays: A, B)

// KIND: error: pass 'plot-domain': there is no kind of dependences 'ant'; did you mean 'anti'?

// ARROWS: error: option 'arrows' of pass 'plot-domain' must be at least 0
