// Machines, strategies and cost models by name.
// RUN: polyir-opt --optimize="machine=generic cost-model=roofline strategy=parallel" --remarks --emit=none %s 2>&1 | filecheck %s
// RUN: not polyir-opt --optimize=machine=generc %s 2>&1 | filecheck %s --check-prefix=MACHINE
// RUN: not polyir-opt --optimize=cost-model=rofline %s 2>&1 | filecheck %s --check-prefix=MODEL
// RUN: not polyir-opt --optimize=strategy=tilez %s 2>&1 | filecheck %s --check-prefix=STRATEGY
// RUN: not polyir-opt --tile="auto cost-model=rofline" %s 2>&1 | filecheck %s --check-prefix=MODEL

// RUN: polyir-opt --optimize="machine='{cores: 3, caches: [{bytes: 4096}]}' strategy=parallel" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: not polyir-opt --optimize="machine='{core: 3}'" %s 2>&1 | filecheck %s --check-prefix=KEY
// RUN: polyir-opt --optimize="machine=this strategy=original" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=THIS

// TEXT: remark: [optimize] for 3 cores, caches of 4 KiB, 16 vector registers of 256 bits
// TEXT-NOT: another computer
// KEY: error: the machine '{core: 3}' has an unknown key 'core'; did you mean 'cores'?
// THIS: remark: [optimize] for the same result on another computer: machine='{{[{].*}}}'
// CHECK: remark: [optimize] for 2 cores, caches of 32 KiB, 1 MiB, 16 MiB, 16 vector registers of 256 bits
// CHECK: remark: [optimize] parallel: {{.*}} ms
// MACHINE: error: unknown machine 'generc'; did you mean 'generic'?
// MODEL: error: unknown cost model 'rofline'; did you mean 'roofline'?
// STRATEGY: error: unknown strategy 'tilez'; did you mean 'tiles'?

func.func @scale(%A: memref<1000x1000xf64>, %c: f64) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %x = affine.load %A[%i, %j] : memref<1000x1000xf64>
      %y = arith.mulf %x, %c : f64
      affine.store %y, %A[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}
