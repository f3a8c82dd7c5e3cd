// RUN: rm -f %t.json
// RUN: polyir-tune --quiet --trials=2 --search=ordered --default-size=16 -o %t.json %s | filecheck %s --check-prefix TUNE
// RUN: sed -e 's/"pipeline": .*/"pipeline": "pluto-schedule,tile{sizes=7}",/' %t.json > %t.seven.json
// RUN: polyir-opt --tuned=%t.seven.json %s | filecheck %s --check-prefix APPLIED
// RUN: sed -e 's/%%i/%%row/g' -e 's,^ *//.*,,' %s | polyir-opt --tuned=%t.seven.json | filecheck %s --check-prefix APPLIED
// RUN: sed -e 's/addf/mulf/' %s > %t.changed.mlir
// RUN: not polyir-opt --tuned=%t.seven.json %t.changed.mlir 2>&1 | filecheck %s --check-prefix CHANGED
// RUN: sed -e 's/"processor": .*/"processor": "an abacus",/' %t.seven.json > %t.abacus.json
// RUN: polyir-opt --tuned=%t.abacus.json %s 2>&1 | filecheck %s --check-prefix MACHINE --check-prefix APPLIED
// RUN: not polyir-opt --tuned=%t.json --tile=8 %s 2>&1 | filecheck %s --check-prefix PASSES
// RUN: sed -e 's/"threads": .*/"threads": "many",/' %t.json > %t.many.json
// RUN: not polyir-opt --tuned=%t.many.json %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: sed -e 's/"format": 1/"format": 99/' %t.json > %t.format.json
// RUN: not polyir-opt --tuned=%t.format.json %s 2>&1 | filecheck %s --check-prefix FORMAT
// RUN: not polyir-opt --tuned=%t.missing.json %s 2>&1 | filecheck %s --check-prefix MISSING
// RUN: sed -e 's/"pipeline": .*/"pipeline": "pluto-shedule",/' %t.json > %t.pass.json
// RUN: not polyir-opt --tuned=%t.pass.json %s 2>&1 | filecheck %s --check-prefix PASS

// TUNE: @add: 2 tried, {{.*}} 0 crashed
// TUNE-NEXT: ms optimize
// TUNE-NEXT: ms {{.*}}x
// TUNE-NEXT: written to {{.*}}.json

// MACHINE: warning: [tuned] '{{.*}}' is of another machine (an abacus, {{.*}}); this is
// APPLIED: affine.for %{{.*}} = 0 to %n step 7 {
// CHANGED: error: '{{.*}}' is for another kernel, or for @add before it was changed
// CHANGED-NOT: func.func
// PASSES: error: --tuned is a pipeline: no passes can be given
// MALFORMED: error: the tuning file '{{.*}}': 'threads' cannot be "many"
// FORMAT: error: the tuning file '{{.*}}' has the format 99, not 1
// MISSING: error: cannot read '{{.*}}': No such file or directory
// PASS: error: the pipeline of '{{.*}}.pass.json': unknown pass 'pluto-shedule'; did you mean 'pluto-schedule'

func.func @add(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // The comments of a kernel do not matter.
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
