// The wave equation in three dimensions, of 4th order in space and 2nd order in time. u and v
// are the last two states in turns; c is the square of the speed, scaled by the steps.
#inner = affine_map<()[s0] -> (s0 - 2)>

func.func @kernel_wave_3d(%tsteps: index, %n: index, %u: memref<?x?x?xf64>, %v: memref<?x?x?xf64>,
                          %c: memref<?x?x?xf64>) {
  %two = arith.constant 2.0 : f64
  %sixteen = arith.constant 16.0 : f64
  %ninety = arith.constant 90.0 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 2 to #inner()[%n] {
      affine.for %j = 2 to #inner()[%n] {
        affine.for %k = 2 to #inner()[%n] {
          %u_i_j_k = affine.load %u[%i, %j, %k] : memref<?x?x?xf64>
          %product = arith.mulf %two, %u_i_j_k : f64
          %v_i_j_k = affine.load %v[%i, %j, %k] : memref<?x?x?xf64>
          %difference = arith.subf %product, %v_i_j_k : f64
          %c_i_j_k = affine.load %c[%i, %j, %k] : memref<?x?x?xf64>
          %u_im1_j_k = affine.load %u[%i - 1, %j, %k] : memref<?x?x?xf64>
          %u_ip1_j_k = affine.load %u[%i + 1, %j, %k] : memref<?x?x?xf64>
          %sum = arith.addf %u_im1_j_k, %u_ip1_j_k : f64
          %u_i_jm1_k = affine.load %u[%i, %j - 1, %k] : memref<?x?x?xf64>
          %sum2 = arith.addf %sum, %u_i_jm1_k : f64
          %u_i_jp1_k = affine.load %u[%i, %j + 1, %k] : memref<?x?x?xf64>
          %sum3 = arith.addf %sum2, %u_i_jp1_k : f64
          %u_i_j_km1 = affine.load %u[%i, %j, %k - 1] : memref<?x?x?xf64>
          %sum4 = arith.addf %sum3, %u_i_j_km1 : f64
          %u_i_j_kp1 = affine.load %u[%i, %j, %k + 1] : memref<?x?x?xf64>
          %sum5 = arith.addf %sum4, %u_i_j_kp1 : f64
          %product2 = arith.mulf %sixteen, %sum5 : f64
          %u_im2_j_k = affine.load %u[%i - 2, %j, %k] : memref<?x?x?xf64>
          %u_ip2_j_k = affine.load %u[%i + 2, %j, %k] : memref<?x?x?xf64>
          %sum6 = arith.addf %u_im2_j_k, %u_ip2_j_k : f64
          %u_i_jm2_k = affine.load %u[%i, %j - 2, %k] : memref<?x?x?xf64>
          %sum7 = arith.addf %sum6, %u_i_jm2_k : f64
          %u_i_jp2_k = affine.load %u[%i, %j + 2, %k] : memref<?x?x?xf64>
          %sum8 = arith.addf %sum7, %u_i_jp2_k : f64
          %u_i_j_km2 = affine.load %u[%i, %j, %k - 2] : memref<?x?x?xf64>
          %sum9 = arith.addf %sum8, %u_i_j_km2 : f64
          %u_i_j_kp2 = affine.load %u[%i, %j, %k + 2] : memref<?x?x?xf64>
          %sum10 = arith.addf %sum9, %u_i_j_kp2 : f64
          %difference2 = arith.subf %product2, %sum10 : f64
          %product3 = arith.mulf %ninety, %u_i_j_k : f64
          %difference3 = arith.subf %difference2, %product3 : f64
          %product4 = arith.mulf %c_i_j_k, %difference3 : f64
          %sum11 = arith.addf %difference, %product4 : f64
          affine.store %sum11, %v[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 2 to #inner()[%n] {
      affine.for %j = 2 to #inner()[%n] {
        affine.for %k = 2 to #inner()[%n] {
          %v_i_j_k = affine.load %v[%i, %j, %k] : memref<?x?x?xf64>
          %product = arith.mulf %two, %v_i_j_k : f64
          %u_i_j_k = affine.load %u[%i, %j, %k] : memref<?x?x?xf64>
          %difference = arith.subf %product, %u_i_j_k : f64
          %c_i_j_k = affine.load %c[%i, %j, %k] : memref<?x?x?xf64>
          %v_im1_j_k = affine.load %v[%i - 1, %j, %k] : memref<?x?x?xf64>
          %v_ip1_j_k = affine.load %v[%i + 1, %j, %k] : memref<?x?x?xf64>
          %sum = arith.addf %v_im1_j_k, %v_ip1_j_k : f64
          %v_i_jm1_k = affine.load %v[%i, %j - 1, %k] : memref<?x?x?xf64>
          %sum2 = arith.addf %sum, %v_i_jm1_k : f64
          %v_i_jp1_k = affine.load %v[%i, %j + 1, %k] : memref<?x?x?xf64>
          %sum3 = arith.addf %sum2, %v_i_jp1_k : f64
          %v_i_j_km1 = affine.load %v[%i, %j, %k - 1] : memref<?x?x?xf64>
          %sum4 = arith.addf %sum3, %v_i_j_km1 : f64
          %v_i_j_kp1 = affine.load %v[%i, %j, %k + 1] : memref<?x?x?xf64>
          %sum5 = arith.addf %sum4, %v_i_j_kp1 : f64
          %product2 = arith.mulf %sixteen, %sum5 : f64
          %v_im2_j_k = affine.load %v[%i - 2, %j, %k] : memref<?x?x?xf64>
          %v_ip2_j_k = affine.load %v[%i + 2, %j, %k] : memref<?x?x?xf64>
          %sum6 = arith.addf %v_im2_j_k, %v_ip2_j_k : f64
          %v_i_jm2_k = affine.load %v[%i, %j - 2, %k] : memref<?x?x?xf64>
          %sum7 = arith.addf %sum6, %v_i_jm2_k : f64
          %v_i_jp2_k = affine.load %v[%i, %j + 2, %k] : memref<?x?x?xf64>
          %sum8 = arith.addf %sum7, %v_i_jp2_k : f64
          %v_i_j_km2 = affine.load %v[%i, %j, %k - 2] : memref<?x?x?xf64>
          %sum9 = arith.addf %sum8, %v_i_j_km2 : f64
          %v_i_j_kp2 = affine.load %v[%i, %j, %k + 2] : memref<?x?x?xf64>
          %sum10 = arith.addf %sum9, %v_i_j_kp2 : f64
          %difference2 = arith.subf %product2, %sum10 : f64
          %product3 = arith.mulf %ninety, %v_i_j_k : f64
          %difference3 = arith.subf %difference2, %product3 : f64
          %product4 = arith.mulf %c_i_j_k, %difference3 : f64
          %sum11 = arith.addf %difference, %product4 : f64
          affine.store %sum11, %u[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
