// The output file appears whole or not at all: here the second part does not parse.
// RUN: rm -f %t.out && not polyir-opt --split-input-file %s -o %t.out 2>&1 | filecheck %s
// RUN: not test -e %t.out

func.func @good() {
  return
}

// -----

// CHECK: output_is_whole.mlir:13:{{[0-9]+}}: error:
func.func @bad() {
  %0 = arith.addf %undefined, %undefined : f64
  return
}
