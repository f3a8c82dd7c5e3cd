// RUN: polyir-opt --dot=dependences --emit=none %s | filecheck %s --check-prefix GRAPH
// RUN: polyir-opt --pluto-schedule --dot=tree --emit=none %s | filecheck %s --check-prefix TREE
// RUN: polyir-opt --dot=file=%t.dot --emit=none %s
// RUN: filecheck %s --check-prefix GRAPH --input-file %t.dot
// RUN: not polyir-opt --dot=forest %s 2>&1 | filecheck %s --check-prefix OPTION
// RUN: not polyir-opt --dot=file=%t.none/a.dot %s 2>&1 | filecheck %s --check-prefix FILE

func.func @sweep(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    affine.store %0, %A[%i] : memref<?xf64>
    affine.store %0, %B[%i] : memref<?xf64>
  }
  return
}

// GRAPH:      digraph "sweep dependences" {
// GRAPH-NEXT:   node [shape=box];
// GRAPH-NEXT:   "S0" [label="S0[i]"];
// GRAPH:        "S0" -> "S0" [label="A (1)", style=solid];

// TREE:      digraph "sweep schedule" {
// TREE-NEXT:   node [shape=box];
// TREE-NEXT:   n0 [label="domain S0{{.*}}"];
// TREE:        label="band, permutable\n  S0[i] -> [(i)]
// TREE:        n0 -> n1;

// OPTION: error: option 'what' of pass 'dot' cannot be 'forest'

// FILE: error: cannot write '{{.*}}a.dot': No such file or directory
