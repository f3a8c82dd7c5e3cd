// RUN: polyir-opt --optimize="threads=1 machine=%S/../../machines/128.json strategy=time-tiles" %S/../../../benchmarks/beyond/conv2d.mlir 2>&1 | filecheck %s

// Loops of step one would need other isolated iterations: the tree keeps its loops.

// CHECK-NOT: error
// CHECK: affine.vector_store %{{.*}}, %result[%k{{.*}}, %y{{.*}}, %x{{.*}}]
