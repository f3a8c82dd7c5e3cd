// RUN: polyir-opt --emit=mlir %s | filecheck %s
// RUN: polyir-opt --emit=mlir %s | polyir-opt --emit=mlir - | filecheck %s
// RUN: polyir-opt --emit=mlir --print-op-generic %s | polyir-opt --emit=mlir - | filecheck %s
// RUN: polyir-opt --emit=mlir --print-op-generic %s | filecheck %s --check-prefix GENERIC
// RUN: polyir-opt --emit=mlir --print-debuginfo %s | polyir-opt --emit=mlir --print-debuginfo - | filecheck %s --check-prefix PLACES

// All that the dialect has: each operation, each kind of attribute.

equations.external @f arguments 2
equations.external @p.g arguments 0
equations.system @p.all parameters ["N", "M"] context "[N, M] -> { : N > 0 and M >= 2 }" {
  equations.variable @X input "[N, M] -> { [i] : 0 <= i < N }"
  equations.variable @Y output "[N, M] -> { [i] : 0 <= i < N }"
  equations.variable @Z local "[N, M] -> { [k, i] : 0 <= k < M and 0 <= i < N }"
  equations.body context "[N, M] -> { : M > 3 }" {
    equations.define @Y indices ["i"] attributes {seen} {
      %x = equations.read @X : <1>
      %moved = equations.depend %x by "[N, M] -> { [i, j] -> [j] }"
      %part = equations.restrict %moved to "[N, M] -> { [i, j] : 0 <= j <= i }"
      %sum = equations.reduce "+" %part by "[N, M] -> { [i, j] -> [i] }"
      %own = equations.reduce @f %part by "[N, M] -> { [i, j] -> [i] }"
      %true = equations.constant true : <1>
      %int = equations.constant -12345678901234567890 : <1>
      %real = equations.constant 2.5 : <1>
      %exact = equations.constant 0.1 : <1>
      %infinity = equations.constant "inf" : <1>
      %index = equations.index "[N, M] -> { [i] -> [N - floor(i/2)] }"
      %polynomial = equations.polynomial "[N, M] -> { [i] -> 1/2 * i + 1/2 * i^2 : i >= 0 }"
      %nothing = equations.apply @p.g() : <1>
      %all = equations.apply "+"(%sum, %own, %int, %real, %exact, %index, %polynomial, %nothing) : <1>
      %call = equations.apply @f(%all, %infinity) : <1>
      %first = equations.restrict %call to "[N, M] -> { [i] : i = 0 }"
      %rest = equations.auto_restrict %all : <1>
      %case = equations.case %first, %rest name "c" : <1>
      %if = equations.if %true, %case, %x : <1>
      equations.yield %if : <1>
    }
    equations.use @q domain "[N, M] -> { [k] : 0 <= k < M }" parameters "[N, M] -> { [k] -> [N] }" {
      %a = equations.read @X : <1>
      %b = equations.depend %a by "[N, M] -> { [k, i] -> [i] }"
      %z = equations.read @Z : <2>
      equations.connect (%b) to (%z) : (<2>) to (<2>)
    }
  }
  equations.body context "[N, M] -> { : M <= 3 }" {
  }
}
equations.system @q parameters ["K"] context "[K] -> { : K > 0 }" {
  equations.variable @A input "[K] -> { [i] : 0 <= i < K }"
  equations.variable @B output "[K] -> { [i] : 0 <= i < K }"
  equations.body context "[K] -> { : }" {
    equations.define @B {
      %a = equations.read @A : <1>
      equations.yield %a : <1>
    }
  }
}

// CHECK: builtin.module {
// CHECK-NEXT: equations.external @f arguments 2
// CHECK-NEXT: equations.external @p.g arguments 0
// CHECK-NEXT: equations.system @p.all parameters ["N", "M"] context "[N, M] -> {  : N > 0 and M >= 2 }" {
// CHECK-NEXT: equations.variable @X input "[N, M] -> { [i] : 0 <= i < N }"
// CHECK-NEXT: equations.variable @Y output "[N, M] -> { [i] : 0 <= i < N }"
// CHECK-NEXT: equations.variable @Z local "[N, M] -> { [k, i] : 0 <= k < M and 0 <= i < N }"
// CHECK-NEXT: equations.body context "[N, M] -> {  : M >= 4 }" {
// CHECK-NEXT: equations.define @Y indices ["i"] attributes {seen} {
// CHECK-NEXT: %[[X:.*]] = equations.read @X : <1>
// CHECK-NEXT: %[[MOVED:.*]] = equations.depend %[[X]] by "[N, M] -> { [i, j] -> [(j)] }"
// CHECK-NEXT: %[[PART:.*]] = equations.restrict %[[MOVED]] to "[N, M] -> { [i, j] : 0 <= j <= i }"
// CHECK-NEXT: %[[SUM:.*]] = equations.reduce "+" %[[PART]] by "[N, M] -> { [i, j] -> [(i)] }"
// CHECK-NEXT: %[[OWN:.*]] = equations.reduce @f %[[PART]] by "[N, M] -> { [i, j] -> [(i)] }"
// CHECK-NEXT: %[[TRUE:.*]] = equations.constant true : <1>
// CHECK-NEXT: %[[INT:.*]] = equations.constant -12345678901234567890 : <1>
// CHECK-NEXT: %[[REAL:.*]] = equations.constant 2.500000e+00 : <1>
// CHECK-NEXT: %[[EXACT:.*]] = equations.constant 1.000000e-01 : <1>
// CHECK-NEXT: %[[INFINITY:.*]] = equations.constant "inf" : <1>
// CHECK-NEXT: %[[INDEX:.*]] = equations.index "[N, M] -> { [i] -> [(N - floor((i)/2))] }"
// CHECK-NEXT: %[[POLYNOMIAL:.*]] = equations.polynomial "[N, M] -> { [i] -> (1/2 * i + 1/2 * i^2) : i >= 0 }"
// CHECK-NEXT: %[[NOTHING:.*]] = equations.apply @p.g() : <1>
// CHECK-NEXT: %[[ALL:.*]] = equations.apply "+"(%[[SUM]], %[[OWN]], %[[INT]], %[[REAL]], %[[EXACT]], %[[INDEX]], %[[POLYNOMIAL]], %[[NOTHING]]) : <1>
// CHECK-NEXT: %[[CALL:.*]] = equations.apply @f(%[[ALL]], %[[INFINITY]]) : <1>
// CHECK-NEXT: %[[FIRST:.*]] = equations.restrict %[[CALL]] to "[N, M] -> { [i = 0] }"
// CHECK-NEXT: %[[REST:.*]] = equations.auto_restrict %[[ALL]] : <1>
// CHECK-NEXT: %[[CASE:.*]] = equations.case %[[FIRST]], %[[REST]] name "c" : <1>
// CHECK-NEXT: %[[IF:.*]] = equations.if %[[TRUE]], %[[CASE]], %[[X]] : <1>
// CHECK-NEXT: equations.yield %[[IF]] : <1>
// CHECK-NEXT: }
// CHECK-NEXT: equations.use @q domain "[N, M] -> { [k] : 0 <= k < M }" parameters "[N, M] -> { [k] -> [(N)] }" {
// CHECK-NEXT: %[[A:.*]] = equations.read @X : <1>
// CHECK-NEXT: %[[B:.*]] = equations.depend %[[A]] by "[N, M] -> { [k, i] -> [(i)] }"
// CHECK-NEXT: %[[Z:.*]] = equations.read @Z : <2>
// CHECK-NEXT: equations.connect (%[[B]]) to (%[[Z]]) : (<2>) to (<2>)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: equations.body context "[N, M] -> {  : M <= 3 }" {
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: equations.system @q parameters ["K"] context "[K] -> {  : K > 0 }" {

// GENERIC: "equations.system"() <{sym_name = "p.all", parameter_names = ["N", "M"], context = #poly.set<"[N, M] -> {  : N > 0 and M >= 2 }">}> ({
// GENERIC: "equations.define"() <{variable = @Y, index_names = ["i"]}> ({
// GENERIC: %{{.*}} = "equations.depend"(%{{.*}}) <{function = #poly.multi_aff<"[N, M] -> { [i, j] -> [(j)] }">}> : (!equations.expression<1>) -> !equations.expression<2>

// PLACES: equations.variable @X input "[N, M] -> { [i] : 0 <= i < N }" loc("{{.*}}dialect.mlir":12:3)
// PLACES: equations.read @X : <1> loc("{{.*}}dialect.mlir":17:12)
// PLACES: equations.yield %{{.*}} : <1> loc("{{.*}}dialect.mlir":36:7)
