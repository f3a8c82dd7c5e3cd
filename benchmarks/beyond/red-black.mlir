// Gauss and Seidel's method for Poisson's equation in two dimensions, in the order of a
// chessboard: first the cells whose i + j is even, on rows of odd and of even number, then the
// others.
#inner = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_red_black(%tsteps: index, %n: index, %u: memref<?x?xf64>, %f: memref<?x?xf64>) {
  %quarter = arith.constant 0.25 : f64
  affine.for %t = 0 to %tsteps {
    // Red.
    affine.for %i = 1 to #inner()[%n] step 2 {
      affine.for %j = 1 to #inner()[%n] step 2 {
        %u_im1_j = affine.load %u[%i - 1, %j] : memref<?x?xf64>
        %u_ip1_j = affine.load %u[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %u_im1_j, %u_ip1_j : f64
        %u_i_jm1 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        %sum2 = arith.addf %sum, %u_i_jm1 : f64
        %u_i_jp1 = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %sum3 = arith.addf %sum2, %u_i_jp1 : f64
        %f_i_j = affine.load %f[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %sum3, %f_i_j : f64
        %product = arith.mulf %quarter, %difference : f64
        affine.store %product, %u[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 2 to #inner()[%n] step 2 {
      affine.for %j = 2 to #inner()[%n] step 2 {
        %u_im1_j = affine.load %u[%i - 1, %j] : memref<?x?xf64>
        %u_ip1_j = affine.load %u[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %u_im1_j, %u_ip1_j : f64
        %u_i_jm1 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        %sum2 = arith.addf %sum, %u_i_jm1 : f64
        %u_i_jp1 = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %sum3 = arith.addf %sum2, %u_i_jp1 : f64
        %f_i_j = affine.load %f[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %sum3, %f_i_j : f64
        %product = arith.mulf %quarter, %difference : f64
        affine.store %product, %u[%i, %j] : memref<?x?xf64>
      }
    }
    // Black.
    affine.for %i = 1 to #inner()[%n] step 2 {
      affine.for %j = 2 to #inner()[%n] step 2 {
        %u_im1_j = affine.load %u[%i - 1, %j] : memref<?x?xf64>
        %u_ip1_j = affine.load %u[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %u_im1_j, %u_ip1_j : f64
        %u_i_jm1 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        %sum2 = arith.addf %sum, %u_i_jm1 : f64
        %u_i_jp1 = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %sum3 = arith.addf %sum2, %u_i_jp1 : f64
        %f_i_j = affine.load %f[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %sum3, %f_i_j : f64
        %product = arith.mulf %quarter, %difference : f64
        affine.store %product, %u[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 2 to #inner()[%n] step 2 {
      affine.for %j = 1 to #inner()[%n] step 2 {
        %u_im1_j = affine.load %u[%i - 1, %j] : memref<?x?xf64>
        %u_ip1_j = affine.load %u[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %u_im1_j, %u_ip1_j : f64
        %u_i_jm1 = affine.load %u[%i, %j - 1] : memref<?x?xf64>
        %sum2 = arith.addf %sum, %u_i_jm1 : f64
        %u_i_jp1 = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %sum3 = arith.addf %sum2, %u_i_jp1 : f64
        %f_i_j = affine.load %f[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %sum3, %f_i_j : f64
        %product = arith.mulf %quarter, %difference : f64
        affine.store %product, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
