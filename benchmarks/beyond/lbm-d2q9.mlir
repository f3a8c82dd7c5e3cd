// A lattice Boltzmann method with 9 velocities in two dimensions (D2Q9): in each step the
// populations f relax towards equilibrium (Bhatnagar, Gross and Krook), then g streams to the
// neighbours. rho, ux and uy are density and velocity; the populations at the border stay as
// they are.
#inner = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_lbm_d2q9(%tsteps: index, %nx: index, %ny: index, %omega: f64,
                           %f: memref<?x?x?xf64>, %g: memref<?x?x?xf64>, %rho: memref<?x?xf64>,
                           %ux: memref<?x?xf64>, %uy: memref<?x?xf64>) {
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %four_and_half = arith.constant 4.5 : f64
  %one_and_half = arith.constant 1.5 : f64
  %weight_rest = arith.constant 0.4444444444444444 : f64
  %weight_axis = arith.constant 0.1111111111111111 : f64
  %weight_diagonal = arith.constant 0.027777777777777776 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 0 to %nx {
      affine.for %j = 0 to %ny {
        %f_0_i_j = affine.load %f[0, %i, %j] : memref<?x?x?xf64>
        %f_1_i_j = affine.load %f[1, %i, %j] : memref<?x?x?xf64>
        %sum = arith.addf %f_0_i_j, %f_1_i_j : f64
        %f_2_i_j = affine.load %f[2, %i, %j] : memref<?x?x?xf64>
        %sum2 = arith.addf %sum, %f_2_i_j : f64
        %f_3_i_j = affine.load %f[3, %i, %j] : memref<?x?x?xf64>
        %sum3 = arith.addf %sum2, %f_3_i_j : f64
        %f_4_i_j = affine.load %f[4, %i, %j] : memref<?x?x?xf64>
        %sum4 = arith.addf %sum3, %f_4_i_j : f64
        %f_5_i_j = affine.load %f[5, %i, %j] : memref<?x?x?xf64>
        %sum5 = arith.addf %sum4, %f_5_i_j : f64
        %f_6_i_j = affine.load %f[6, %i, %j] : memref<?x?x?xf64>
        %sum6 = arith.addf %sum5, %f_6_i_j : f64
        %f_7_i_j = affine.load %f[7, %i, %j] : memref<?x?x?xf64>
        %sum7 = arith.addf %sum6, %f_7_i_j : f64
        %f_8_i_j = affine.load %f[8, %i, %j] : memref<?x?x?xf64>
        %density = arith.addf %sum7, %f_8_i_j : f64
        affine.store %density, %rho[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %f_1_i_j, %f_3_i_j : f64
        %sum9 = arith.addf %difference, %f_5_i_j : f64
        %difference2 = arith.subf %sum9, %f_6_i_j : f64
        %difference3 = arith.subf %difference2, %f_7_i_j : f64
        %sum10 = arith.addf %difference3, %f_8_i_j : f64
        %u_x = arith.divf %sum10, %density : f64
        affine.store %u_x, %ux[%i, %j] : memref<?x?xf64>
        %difference4 = arith.subf %f_2_i_j, %f_4_i_j : f64
        %sum11 = arith.addf %difference4, %f_5_i_j : f64
        %sum12 = arith.addf %sum11, %f_6_i_j : f64
        %difference5 = arith.subf %sum12, %f_7_i_j : f64
        %difference6 = arith.subf %difference5, %f_8_i_j : f64
        %u_y = arith.divf %difference6, %density : f64
        affine.store %u_y, %uy[%i, %j] : memref<?x?xf64>
        // At rest, then along the axes, then along the diagonals.
        %product = arith.mulf %weight_rest, %density : f64
        %product2 = arith.mulf %u_x, %u_x : f64
        %product3 = arith.mulf %u_y, %u_y : f64
        %sum13 = arith.addf %product2, %product3 : f64
        %square = arith.mulf %one_and_half, %sum13 : f64
        %difference7 = arith.subf %one, %square : f64
        %product5 = arith.mulf %product, %difference7 : f64
        %difference8 = arith.subf %f_0_i_j, %product5 : f64
        %product6 = arith.mulf %omega, %difference8 : f64
        %difference9 = arith.subf %f_0_i_j, %product6 : f64
        affine.store %difference9, %g[0, %i, %j] : memref<?x?x?xf64>
        %product7 = arith.mulf %weight_axis, %density : f64
        %product8 = arith.mulf %three, %u_x : f64
        %sum14 = arith.addf %one, %product8 : f64
        %product9 = arith.mulf %four_and_half, %u_x : f64
        %product10 = arith.mulf %product9, %u_x : f64
        %sum15 = arith.addf %sum14, %product10 : f64
        %difference10 = arith.subf %sum15, %square : f64
        %product11 = arith.mulf %product7, %difference10 : f64
        %difference11 = arith.subf %f_1_i_j, %product11 : f64
        %product12 = arith.mulf %omega, %difference11 : f64
        %difference12 = arith.subf %f_1_i_j, %product12 : f64
        affine.store %difference12, %g[1, %i, %j] : memref<?x?x?xf64>
        %product13 = arith.mulf %three, %u_y : f64
        %sum16 = arith.addf %one, %product13 : f64
        %product14 = arith.mulf %four_and_half, %u_y : f64
        %product15 = arith.mulf %product14, %u_y : f64
        %sum17 = arith.addf %sum16, %product15 : f64
        %difference13 = arith.subf %sum17, %square : f64
        %product16 = arith.mulf %product7, %difference13 : f64
        %difference14 = arith.subf %f_2_i_j, %product16 : f64
        %product17 = arith.mulf %omega, %difference14 : f64
        %difference15 = arith.subf %f_2_i_j, %product17 : f64
        affine.store %difference15, %g[2, %i, %j] : memref<?x?x?xf64>
        %minus_u_x = arith.negf %u_x : f64
        %product18 = arith.mulf %three, %minus_u_x : f64
        %sum18 = arith.addf %one, %product18 : f64
        %product19 = arith.mulf %four_and_half, %minus_u_x : f64
        %product20 = arith.mulf %product19, %minus_u_x : f64
        %sum19 = arith.addf %sum18, %product20 : f64
        %difference16 = arith.subf %sum19, %square : f64
        %product21 = arith.mulf %product7, %difference16 : f64
        %difference17 = arith.subf %f_3_i_j, %product21 : f64
        %product22 = arith.mulf %omega, %difference17 : f64
        %difference18 = arith.subf %f_3_i_j, %product22 : f64
        affine.store %difference18, %g[3, %i, %j] : memref<?x?x?xf64>
        %minus_u_y = arith.negf %u_y : f64
        %product23 = arith.mulf %three, %minus_u_y : f64
        %sum20 = arith.addf %one, %product23 : f64
        %product24 = arith.mulf %four_and_half, %minus_u_y : f64
        %product25 = arith.mulf %product24, %minus_u_y : f64
        %sum21 = arith.addf %sum20, %product25 : f64
        %difference19 = arith.subf %sum21, %square : f64
        %product26 = arith.mulf %product7, %difference19 : f64
        %difference20 = arith.subf %f_4_i_j, %product26 : f64
        %product27 = arith.mulf %omega, %difference20 : f64
        %difference21 = arith.subf %f_4_i_j, %product27 : f64
        affine.store %difference21, %g[4, %i, %j] : memref<?x?x?xf64>
        %product28 = arith.mulf %weight_diagonal, %density : f64
        %sum22 = arith.addf %u_x, %u_y : f64
        %product29 = arith.mulf %three, %sum22 : f64
        %sum23 = arith.addf %one, %product29 : f64
        %product30 = arith.mulf %four_and_half, %sum22 : f64
        %product31 = arith.mulf %product30, %sum22 : f64
        %sum24 = arith.addf %sum23, %product31 : f64
        %difference22 = arith.subf %sum24, %square : f64
        %product32 = arith.mulf %product28, %difference22 : f64
        %difference23 = arith.subf %f_5_i_j, %product32 : f64
        %product33 = arith.mulf %omega, %difference23 : f64
        %difference24 = arith.subf %f_5_i_j, %product33 : f64
        affine.store %difference24, %g[5, %i, %j] : memref<?x?x?xf64>
        %sum25 = arith.addf %minus_u_x, %u_y : f64
        %product34 = arith.mulf %three, %sum25 : f64
        %sum26 = arith.addf %one, %product34 : f64
        %product35 = arith.mulf %four_and_half, %sum25 : f64
        %product36 = arith.mulf %product35, %sum25 : f64
        %sum27 = arith.addf %sum26, %product36 : f64
        %difference25 = arith.subf %sum27, %square : f64
        %product37 = arith.mulf %product28, %difference25 : f64
        %difference26 = arith.subf %f_6_i_j, %product37 : f64
        %product38 = arith.mulf %omega, %difference26 : f64
        %difference27 = arith.subf %f_6_i_j, %product38 : f64
        affine.store %difference27, %g[6, %i, %j] : memref<?x?x?xf64>
        %difference28 = arith.subf %minus_u_x, %u_y : f64
        %product39 = arith.mulf %three, %difference28 : f64
        %sum28 = arith.addf %one, %product39 : f64
        %product40 = arith.mulf %four_and_half, %difference28 : f64
        %product41 = arith.mulf %product40, %difference28 : f64
        %sum29 = arith.addf %sum28, %product41 : f64
        %difference29 = arith.subf %sum29, %square : f64
        %product42 = arith.mulf %product28, %difference29 : f64
        %difference30 = arith.subf %f_7_i_j, %product42 : f64
        %product43 = arith.mulf %omega, %difference30 : f64
        %difference31 = arith.subf %f_7_i_j, %product43 : f64
        affine.store %difference31, %g[7, %i, %j] : memref<?x?x?xf64>
        %difference32 = arith.subf %u_x, %u_y : f64
        %product44 = arith.mulf %three, %difference32 : f64
        %sum30 = arith.addf %one, %product44 : f64
        %product45 = arith.mulf %four_and_half, %difference32 : f64
        %product46 = arith.mulf %product45, %difference32 : f64
        %sum31 = arith.addf %sum30, %product46 : f64
        %difference33 = arith.subf %sum31, %square : f64
        %product47 = arith.mulf %product28, %difference33 : f64
        %difference34 = arith.subf %f_8_i_j, %product47 : f64
        %product48 = arith.mulf %omega, %difference34 : f64
        %difference35 = arith.subf %f_8_i_j, %product48 : f64
        affine.store %difference35, %g[8, %i, %j] : memref<?x?x?xf64>
      }
    }
    affine.for %i = 1 to #inner()[%nx] {
      affine.for %j = 1 to #inner()[%ny] {
        %g_1_i_jm1 = affine.load %g[1, %i, %j - 1] : memref<?x?x?xf64>
        affine.store %g_1_i_jm1, %f[1, %i, %j] : memref<?x?x?xf64>
        %g_2_im1_j = affine.load %g[2, %i - 1, %j] : memref<?x?x?xf64>
        affine.store %g_2_im1_j, %f[2, %i, %j] : memref<?x?x?xf64>
        %g_3_i_jp1 = affine.load %g[3, %i, %j + 1] : memref<?x?x?xf64>
        affine.store %g_3_i_jp1, %f[3, %i, %j] : memref<?x?x?xf64>
        %g_4_ip1_j = affine.load %g[4, %i + 1, %j] : memref<?x?x?xf64>
        affine.store %g_4_ip1_j, %f[4, %i, %j] : memref<?x?x?xf64>
        %g_5_im1_jm1 = affine.load %g[5, %i - 1, %j - 1] : memref<?x?x?xf64>
        affine.store %g_5_im1_jm1, %f[5, %i, %j] : memref<?x?x?xf64>
        %g_6_im1_jp1 = affine.load %g[6, %i - 1, %j + 1] : memref<?x?x?xf64>
        affine.store %g_6_im1_jp1, %f[6, %i, %j] : memref<?x?x?xf64>
        %g_7_ip1_jp1 = affine.load %g[7, %i + 1, %j + 1] : memref<?x?x?xf64>
        affine.store %g_7_ip1_jp1, %f[7, %i, %j] : memref<?x?x?xf64>
        %g_8_ip1_jm1 = affine.load %g[8, %i + 1, %j - 1] : memref<?x?x?xf64>
        affine.store %g_8_ip1_jm1, %f[8, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}
