// deriche of PolyBench/C 4.2.1, a recursive edge-detection filter in single precision on an image
// of w x h pixels: forward and backward along the rows (the carried values are iteration
// arguments), then down and up along the columns (the carried values are scalars in memory).
#reverse = affine_map<(d0)[s0] -> (s0 - 1 - d0)>

func.func @kernel_deriche(%w: index, %h: index, %alpha: f32, %imgIn: memref<?x?xf32>,
                          %imgOut: memref<?x?xf32>, %y1: memref<?x?xf32>,
                          %y2: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %minus_two = arith.constant -2.0 : f32
  %tm1 = memref.alloca() : memref<f32>
  %ym1 = memref.alloca() : memref<f32>
  %ym2 = memref.alloca() : memref<f32>
  %tp1 = memref.alloca() : memref<f32>
  %tp2 = memref.alloca() : memref<f32>
  %yp1 = memref.alloca() : memref<f32>
  %yp2 = memref.alloca() : memref<f32>

  // The coefficients; a5 to a8 equal a1 to a4, and c1 = c2 = 1.
  %minus_alpha = arith.negf %alpha : f32
  %minus_two_alpha = arith.mulf %minus_two, %alpha : f32
  %two_alpha = arith.mulf %two, %alpha : f32
  %decay = math.exp %minus_alpha : f32
  %square_decay = math.exp %minus_two_alpha : f32
  %growth = math.exp %two_alpha : f32
  %gap = arith.subf %one, %decay : f32
  %numerator = arith.mulf %gap, %gap : f32
  %damped = arith.mulf %two_alpha, %decay : f32
  %one_damped = arith.addf %one, %damped : f32
  %denominator = arith.subf %one_damped, %growth : f32
  %k = arith.divf %numerator, %denominator : f32
  %k_decay = arith.mulf %k, %decay : f32
  %alpha_less = arith.subf %alpha, %one : f32
  %alpha_more = arith.addf %alpha, %one : f32
  %minus_k = arith.negf %k : f32
  %a2 = arith.mulf %k_decay, %alpha_less : f32
  %a3 = arith.mulf %k_decay, %alpha_more : f32
  %a4 = arith.mulf %minus_k, %square_decay : f32
  %b1 = math.powf %two, %minus_alpha : f32
  %b2 = arith.negf %square_decay : f32

  // Rows, left to right.
  affine.for %i = 0 to %w {
    %last:3 = affine.for %j = 0 to %h
        iter_args(%y_1 = %zero, %y_2 = %zero, %x_1 = %zero) -> (f32, f32, f32) {
      %pixel = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      %t0 = arith.mulf %k, %pixel : f32
      %t1 = arith.mulf %a2, %x_1 : f32
      %t2 = arith.mulf %b1, %y_1 : f32
      %t3 = arith.mulf %b2, %y_2 : f32
      %s0 = arith.addf %t0, %t1 : f32
      %s1 = arith.addf %s0, %t2 : f32
      %s2 = arith.addf %s1, %t3 : f32
      affine.store %s2, %y1[%i, %j] : memref<?x?xf32>
      affine.yield %s2, %y_1, %pixel : f32, f32, f32
    }
  }

  // Rows, right to left.
  affine.for %i = 0 to %w {
    %last:4 = affine.for %step = 0 to %h
        iter_args(%y_1 = %zero, %y_2 = %zero, %x_1 = %zero, %x_2 = %zero)
        -> (f32, f32, f32, f32) {
      %j = affine.apply #reverse(%step)[%h]
      %t0 = arith.mulf %a3, %x_1 : f32
      %t1 = arith.mulf %a4, %x_2 : f32
      %t2 = arith.mulf %b1, %y_1 : f32
      %t3 = arith.mulf %b2, %y_2 : f32
      %s0 = arith.addf %t0, %t1 : f32
      %s1 = arith.addf %s0, %t2 : f32
      %s2 = arith.addf %s1, %t3 : f32
      affine.store %s2, %y2[%i, %j] : memref<?x?xf32>
      %pixel = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      affine.yield %s2, %y_1, %pixel, %x_1 : f32, f32, f32, f32
    }
  }

  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %forward = affine.load %y1[%i, %j] : memref<?x?xf32>
      %backward = affine.load %y2[%i, %j] : memref<?x?xf32>
      %both = arith.addf %forward, %backward : f32
      %scaled = arith.mulf %one, %both : f32
      affine.store %scaled, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }

  // Columns, downwards.
  affine.for %j = 0 to %h {
    affine.store %zero, %tm1[] : memref<f32>
    affine.store %zero, %ym1[] : memref<f32>
    affine.store %zero, %ym2[] : memref<f32>
    affine.for %i = 0 to %w {
      %pixel = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      %x_1 = affine.load %tm1[] : memref<f32>
      %y_1 = affine.load %ym1[] : memref<f32>
      %y_2 = affine.load %ym2[] : memref<f32>
      %t0 = arith.mulf %k, %pixel : f32
      %t1 = arith.mulf %a2, %x_1 : f32
      %t2 = arith.mulf %b1, %y_1 : f32
      %t3 = arith.mulf %b2, %y_2 : f32
      %s0 = arith.addf %t0, %t1 : f32
      %s1 = arith.addf %s0, %t2 : f32
      %s2 = arith.addf %s1, %t3 : f32
      affine.store %s2, %y1[%i, %j] : memref<?x?xf32>
      %next_x = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      affine.store %next_x, %tm1[] : memref<f32>
      %next_y2 = affine.load %ym1[] : memref<f32>
      affine.store %next_y2, %ym2[] : memref<f32>
      %next_y1 = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %next_y1, %ym1[] : memref<f32>
    }
  }

  // Columns, upwards.
  affine.for %j = 0 to %h {
    affine.store %zero, %tp1[] : memref<f32>
    affine.store %zero, %tp2[] : memref<f32>
    affine.store %zero, %yp1[] : memref<f32>
    affine.store %zero, %yp2[] : memref<f32>
    affine.for %step = 0 to %w {
      %i = affine.apply #reverse(%step)[%w]
      %x_1 = affine.load %tp1[] : memref<f32>
      %x_2 = affine.load %tp2[] : memref<f32>
      %y_1 = affine.load %yp1[] : memref<f32>
      %y_2 = affine.load %yp2[] : memref<f32>
      %t0 = arith.mulf %a3, %x_1 : f32
      %t1 = arith.mulf %a4, %x_2 : f32
      %t2 = arith.mulf %b1, %y_1 : f32
      %t3 = arith.mulf %b2, %y_2 : f32
      %s0 = arith.addf %t0, %t1 : f32
      %s1 = arith.addf %s0, %t2 : f32
      %s2 = arith.addf %s1, %t3 : f32
      affine.store %s2, %y2[%i, %j] : memref<?x?xf32>
      %next_x2 = affine.load %tp1[] : memref<f32>
      affine.store %next_x2, %tp2[] : memref<f32>
      %next_x1 = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      affine.store %next_x1, %tp1[] : memref<f32>
      %next_y2 = affine.load %yp1[] : memref<f32>
      affine.store %next_y2, %yp2[] : memref<f32>
      %next_y1 = affine.load %y2[%i, %j] : memref<?x?xf32>
      affine.store %next_y1, %yp1[] : memref<f32>
    }
  }

  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %forward = affine.load %y1[%i, %j] : memref<?x?xf32>
      %backward = affine.load %y2[%i, %j] : memref<?x?xf32>
      %both = arith.addf %forward, %backward : f32
      %scaled = arith.mulf %one, %both : f32
      affine.store %scaled, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
