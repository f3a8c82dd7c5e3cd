// RUN: polyir-opt --split-input-file --vectorize --remarks %s 2>&1 | filecheck %s

// Partial results in lanes: full vectors, masked ones for what is left, and a tree.
func.func @dot(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %B[%n - %i] : memref<?xf64>
    %x = affine.load %s[] : memref<f64>
    %p = arith.mulf %a, %b : f64
    %y = arith.subf %x, %p : f64
    affine.store %y, %s[] : memref<f64>
  } {poly.reduction = #poly.reduction<4>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in 4 vectors of 4 partial results
// CHECK:      affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// CHECK-NEXT:   %[[NEUTRAL:.+]] = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:   %[[START:.+]] = vector.broadcast %[[NEUTRAL]]
// CHECK-NEXT:   %[[P0:.+]], %[[P1:.+]], %[[P2:.+]], %[[P3:.+]] = affine.for %[[I:.+]] = 0 to affine_map<()[s0] -> (s0 - 15)>()[%n] step 16 iter_args
// CHECK:          affine.vector_load %A[%[[I]] + 12] : memref<?xf64>, vector<4xf64>
// CHECK-NEXT:     %[[B:.+]] = affine.vector_load %B[%n - %[[I]] - 3]
// CHECK-NEXT:     vector.shuffle %[[B]], %[[B]] [3, 2, 1, 0]
// CHECK:          arith.subf {{.*}} : vector<4xf64>
// CHECK:        %[[REST:.+]] = arith.remsi
// CHECK:        %[[MASK:.+]] = vector.create_mask %[[REST]] : vector<4xi1>
// CHECK:        vector.maskedload %A[{{.*}}], %[[MASK]]
// CHECK:        %[[TURNED:.+]] = vector.shuffle %[[MASK]], %[[MASK]] [3, 2, 1, 0]
// CHECK:        vector.maskedload %B[{{.*}}], %[[TURNED]]
// CHECK:        arith.select %[[MASK]], %{{.+}}, %[[P0]]
// CHECK:        arith.addf {{.*}} : vector<4xf64>
// CHECK:        vector.shuffle {{.*}} [2, 3]
// CHECK:        arith.addf {{.*}} : vector<2xf64>
// CHECK:        vector.extract {{.*}}[1]
// CHECK:        %[[TOTAL:.+]] = arith.addf {{.*}} : f64
// CHECK-NEXT:   %[[OLD:.+]] = affine.load %s[]
// CHECK-NEXT:   %[[NEW:.+]] = arith.addf %[[OLD]], %[[TOTAL]]
// CHECK-NEXT:   affine.store %[[NEW]], %s[]

// -----

// As many vectors as there are iterations for, and none is left; no promise about overflow stays.
func.func @integers(%A: memref<16xi32>, %s: memref<i32>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xi32>
    %x = affine.load %s[] : memref<i32>
    %y = arith.addi %x, %a overflow<nsw> : i32
    affine.store %y, %s[] : memref<i32>
  } {poly.reduction = #poly.reduction<8>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in 2 vectors of 8 partial results
// CHECK-NOT: nsw
// CHECK-NOT: mask

// -----

// What is not a reduction stays as it is, and the warning says why.
func.func @none(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %p = 1 to %n {
    %a = affine.load %A[%p - 1] : memref<?xf64>
    %b = affine.load %A[%p] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %A[%p] : memref<?xf64>
  } {poly.reduction = #poly.reduction<8>}
  affine.for %q = 0 to %n {
    %a = affine.load %A[%q] : memref<?xf64>
    %b = affine.load %A[4] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %A[4] : memref<?xf64>
  } {poly.reduction = #poly.reduction<8>}
  affine.for %r = 0 to %n {
    %a = affine.load %B[%r, 0] : memref<?x?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %s[] : memref<f64>
  } {poly.reduction = #poly.reduction<8>}
  affine.for %t = 0 to %n {
    %a = affine.load %A[%t] : memref<?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.divf %b, %a : f64
    affine.store %c, %s[] : memref<f64>
  } {poly.reduction = #poly.reduction<8>}
  affine.for %u = 0 to %n {
    %a = affine.load %A[%u] : memref<?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.addf %b, %a : f64
    affine.store %c, %s[] : memref<f64>
    %d = affine.load %B[1, %u] : memref<?x?xf64>
    affine.store %d, %B[1, %u + 1] : memref<?x?xf64>
  } {poly.reduction = #poly.reduction<8>}
  return
}

// CHECK-LABEL: warning: [vectorize] the loop over %p stays scalar: it does not update one element
// CHECK: warning: [vectorize] the loop over %q stays scalar: it may load an element that it updates
// CHECK: warning: [vectorize] the loop over %r stays scalar: it loads elements that are not next to each other
// CHECK: warning: [vectorize] the loop over %t stays scalar: it does not update its element by one associative operation
// CHECK: warning: [vectorize] the loop over %u stays scalar: it may load an element that another iteration stores

// -----

// Two sums have two vectors each. What else the loop stores, it stores in the same vectors.
func.func @together(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %s: memref<2xf64>) {
  affine.for %j = 0 to %n {
    %a = affine.load %A[%j] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %B[%j] : memref<?xf64>
    %c = affine.load %B[%j] : memref<?xf64>
    %d = affine.load %s[0] : memref<2xf64>
    %e = arith.addf %d, %c : f64
    affine.store %e, %s[0] : memref<2xf64>
    %f = affine.load %s[1] : memref<2xf64>
    %g = arith.addf %f, %a : f64
    affine.store %g, %s[1] : memref<2xf64>
  } {poly.reduction = #poly.reduction<8>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in 4 vectors of 8 partial results
// CHECK: affine.for %j = 0 to {{.*}} step 16 iter_args({{.*}}) -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)
// CHECK: affine.vector_store {{.*}}, %B[%j] : memref<?xf64>, vector<8xf64>
// CHECK: affine.vector_store {{.*}}, %B[%j + 8] : memref<?xf64>, vector<8xf64>
// CHECK: vector.maskedstore %B
// CHECK: affine.store {{.*}}, %s[0] : memref<2xf64>
// CHECK: affine.store {{.*}}, %s[1] : memref<2xf64>

// -----

// Threads share partial results; of a loop around others, too.
func.func @parts(%n: index, %A: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 2 to %n {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %x = affine.load %s[] : memref<f64>
      %y = arith.mulf %a, %x : f64
      affine.store %y, %s[] : memref<f64>
    } {poly.reduction = #poly.reduction<8>}
  } {poly.parts = #poly.parts<16>}
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %x = affine.load %s[] : memref<f64>
      %y = arith.divf %x, %a : f64
      affine.store %y, %s[] : memref<f64>
    }
  } {poly.parts = #poly.parts<16>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in parts of 16 iterations, which threads share
// CHECK: warning: [vectorize] the loop over %i stays sequential: it does not update its element by one associative operation
// CHECK: remark: [vectorize] the loop over %j runs in 4 vectors of 8 partial results
// CHECK:      affine.if affine_set<()[s0] : (s0 >= 3)>()[%n] {
// CHECK:        %[[PARTS:.+]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xf64>
// CHECK-NEXT:   affine.parallel (%[[P:.+]]) = (0) to ((symbol(%n) - 2) ceildiv 16) {
// CHECK-NEXT:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     affine.store %[[ONE]], %[[PARTS]][%[[P]]]
// CHECK-NEXT:     affine.for %{{.+}} = affine_map<(d0) -> (d0 * 16 + 2)>(%[[P]]) to min affine_map<(d0)[s0] -> (d0 * 16 + 18, s0)>(%[[P]])[%n]
// CHECK:            arith.mulf {{.*}} : vector<8xf64>
// CHECK:            affine.store {{.*}}, %[[PARTS]][%[[P]]]
// CHECK:        affine.for %[[Q:.+]] = 0 to
// CHECK-NEXT:     %[[PART:.+]] = affine.load %[[PARTS]][%[[Q]]]
// CHECK-NEXT:     %[[OLD:.+]] = affine.load %s[]
// CHECK-NEXT:     arith.mulf %[[OLD]], %[[PART]]
// CHECK:        memref.dealloc %[[PARTS]]
