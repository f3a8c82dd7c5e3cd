// RUN: polyir-opt --compare-schedules --emit=none %s | filecheck %s --check-prefix SCHEDULERS
// RUN: polyir-opt --optimize="machine=raspberry-pi-4 cost-model=memory" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix OPTIMIZE
// RUN: polyir-opt --optimize="machine=generic strategy=widest-tiles threads=1" --emit=outline %s | filecheck %s --check-prefix OUTLINE
// RUN: polyir-machine raspberry-pi-4 | filecheck %s --check-prefix MACHINE

// SCHEDULERS: {{^// pluto }}
// SCHEDULERS: {{^// widest       2 }}

// OPTIMIZE: [optimize] for 4 cores, caches of 32 KiB, 1 MiB, 32 vector registers of 128 bits
// OPTIMIZE: [optimize] original: {{.*}} bytes from memory
// OPTIMIZE: [optimize] parallel: {{.*}} bytes from memory
// OPTIMIZE-NEXT: [optimize] widest-tiles with tiles of {{[0-9x ]+}}: {{.*}} bytes from memory
// OPTIMIZE: [optimize] chosen: widest-tiles

// OUTLINE:      products:
// OUTLINE-NEXT:   loop of
// OUTLINE-NEXT:     loop of
// OUTLINE-NEXT:       loop of
// OUTLINE-NEXT:         loop of

// MACHINE: "cores": 4,
// MACHINE: "gigahertz": 1.5,

// The second product reads A by columns.
func.func @products(%A: memref<1000x1000xf64>, %x: memref<1000xf64>, %y: memref<1000xf64>,
                    %z: memref<1000xf64>, %w: memref<1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%i, %j] : memref<1000x1000xf64>
      %b = affine.load %z[%j] : memref<1000xf64>
      %c = arith.mulf %a, %b : f64
      %d = affine.load %x[%i] : memref<1000xf64>
      %e = arith.addf %d, %c : f64
      affine.store %e, %x[%i] : memref<1000xf64>
    }
  }
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%j, %i] : memref<1000x1000xf64>
      %b = affine.load %w[%j] : memref<1000xf64>
      %c = arith.mulf %a, %b : f64
      %d = affine.load %y[%i] : memref<1000xf64>
      %e = arith.addf %d, %c : f64
      affine.store %e, %y[%i] : memref<1000xf64>
    }
  }
  return
}
