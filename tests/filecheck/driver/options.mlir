// RUN: not polyir-opt --pluto-shedule %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --tyle="sizes=3 levels=2" %s 2>&1 | filecheck %s --check-prefix SPACE
// RUN: not polyir-opt -p pluto-shedule %s 2>&1 | filecheck %s --check-prefix PIPELINE
// RUN: not polyir-opt --tile="size=3" %s 2>&1 | filecheck %s --check-prefix OPTION
// RUN: not polyir-opt --tile=three %s 2>&1 | filecheck %s --check-prefix VALUE
// RUN: not polyir-opt --pluto-schedule="fuse=smrt" %s 2>&1 | filecheck %s --check-prefix CHOICE
// RUN: not polyir-opt --emit=cc %s 2>&1 | filecheck %s --check-prefix TARGET
// RUN: not polyir-opt %s.does-not-exist 2>&1 | filecheck %s --check-prefix FILE
// RUN: not polyir-opt %s -o %t.no-such-folder/out.mlir 2>&1 | filecheck %s --check-prefix OUTPUT

// UNKNOWN-NOT: Traceback
// UNKNOWN: error: unknown pass or option '--pluto-shedule'; did you mean '--pluto-schedule'
// SPACE: error: unknown pass or option '--tyle'; did you mean '--tile'
// PIPELINE: error: unknown pass 'pluto-shedule'; did you mean 'pluto-schedule'
// OPTION: error: pass 'tile' has no option 'size'; did you mean 'sizes'?
// VALUE: error: option 'sizes' of pass 'tile' must be a list of integers, not 'three'
// CHOICE: error: option 'fuse' of pass 'pluto-schedule' cannot be 'smrt'; did you mean 'smart'?
// TARGET: error: unknown target 'cc'
// FILE: error: cannot read '{{.*}}options.mlir.does-not-exist': No such file or directory
// OUTPUT: error: cannot write '{{.*}}out.mlir': No such file or directory

func.func @empty() {
  return
}
