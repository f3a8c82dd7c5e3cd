// Every syntax class of arith, math and index.
func.func @constants() -> (f64, i32) {
  %0 = arith.constant 0 : index
  %1 = arith.constant -7 : i32
  %2 = arith.constant 0xFF : i16
  %3 = arith.constant true
  %4 = arith.constant false
  %5 = arith.constant 1.0e-5 : f64
  %6 = arith.constant -2.5E+10 : f32
  %7 = arith.constant 0x7FF0000000000000 : f64
  %8 = arith.constant 0xFFC00000 : f32
  %9 = arith.constant 1. : f16
  %10 = arith.constant 3.14 : bf16
  %11 = arith.constant dense<0.0> : vector<4xf32>
  %12 = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>
  %13 = arith.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  %14 = arith.constant dense<[true, false, true]> : vector<3xi1>
  %15 = arith.constant dense<> : tensor<0xi32>
  %16 = arith.constant dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>
  %17 = arith.constant 0.1 : f32
  %18 = arith.constant 123456789012345678901234567890 : i128
  %19 = arith.constant {polyir.note = "attributed"} 5 : i64
  %20 = arith.constant 0.1 : f64
  %21 = arith.constant 340282346638528859811704183484516925440.0 : f32
  %22 = arith.constant dense<0xFF800000> : tensor<1xf32>
  return %5, %1 : f64, i32
}
func.func @integers(%a: i32, %b: i32, %x: index, %y: index, %v: vector<4xi32>) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.subi %a, %b overflow<nsw> : i32
  %2 = arith.muli %a, %b overflow<nsw, nuw> : i32
  %3 = arith.divsi %a, %b : i32
  %4 = arith.divui %x, %y : index
  %5 = arith.ceildivsi %a, %b : i32
  %6 = arith.ceildivui %a, %b : i32
  %7 = arith.floordivsi %x, %y : index
  %8 = arith.remsi %a, %b : i32
  %9 = arith.remui %a, %b : i32
  %10 = arith.andi %a, %b : i32
  %11 = arith.ori %a, %b : i32
  %12 = arith.xori %a, %b : i32
  %13 = arith.shli %a, %b overflow<nuw> : i32
  %14 = arith.shrsi %a, %b : i32
  %15 = arith.shrui %a, %b : i32
  %16 = arith.maxsi %a, %b : i32
  %17 = arith.maxui %a, %b : i32
  %18 = arith.minsi %a, %b : i32
  %19 = arith.minui %a, %b : i32
  %20 = arith.cmpi slt, %a, %b : i32
  %21 = arith.cmpi eq, %x, %y {polyir.note} : index
  %22 = arith.select %20, %a, %b : i32
  %23, %24 = arith.addui_extended %a, %b : i32, i1
  %25, %26 = arith.mulsi_extended %a, %b : i32
  %27:2 = arith.mului_extended %a, %b : i32
  %28 = arith.addi %v, %v {polyir.note = "v"} : vector<4xi32>
  %29 = math.absi %a : i32
  %30 = math.ctlz %a : i32
  %31 = math.ipowi %a, %b : i32
  %32 = math.ctpop %a : i32
  return
}
func.func @floats(%a: f64, %b: f64, %i: i32) -> f64 {
  %0 = arith.addf %a, %b : f64
  %1 = arith.subf %a, %b fastmath<fast> : f64
  %2 = arith.mulf %a, %b fastmath<nnan, contract> : f64
  %3 = arith.divf %a, %b {polyir.note = 1 : i32} : f64
  %4 = arith.negf %a : f64
  %5 = arith.negf %a fastmath<nsz> : f64
  %6 = arith.maximumf %a, %b : f64
  %7 = arith.minimumf %a, %b : f64
  %8 = arith.maxnumf %a, %b : f64
  %9 = arith.minnumf %a, %b : f64
  %10 = arith.cmpf olt, %a, %b : f64
  %11 = arith.cmpf true, %a, %b : f64
  %12 = arith.cmpf false, %a, %b : f64
  %13 = arith.cmpf une, %a, %b fastmath<ninf> : f64
  %14 = arith.select %10, %a, %b : f64
  %16 = math.sqrt %a : f64
  %17 = math.exp %a fastmath<afn> : f64
  %18 = math.powf %a, %b : f64
  %19 = math.fma %a, %b, %a : f64
  %20 = math.fpowi %a, %i : f64, i32
  %21 = math.absf %a : f64
  %22 = math.atan2 %a, %b : f64
  %23 = math.tanh %a : f64
  %24 = math.floor %a : f64
  %25 = math.rsqrt %a : f64
  %26 = math.copysign %a, %b : f64
  return %19 : f64
}
func.func @conversions(%x: index, %i: i32, %f: f32, %d: f64) {
  %0 = arith.index_cast %x : index to i64
  %1 = arith.index_cast %i : i32 to index
  %2 = arith.index_castui %i : i32 to index
  %3 = arith.sitofp %i : i32 to f64
  %4 = arith.uitofp %i : i32 to f32
  %5 = arith.fptosi %d : f64 to i32
  %6 = arith.fptoui %d : f64 to i64
  %7 = arith.extf %f : f32 to f64
  %8 = arith.truncf %d : f64 to f32
  %9 = arith.extsi %i : i32 to i64
  %10 = arith.extui %i : i32 to i64
  %11 = arith.trunci %i : i32 to i8
  %12 = arith.bitcast %f : f32 to i32
  %13 = index.casts %i : i32 to index
  %14 = index.castu %x : index to i64
  return
}
