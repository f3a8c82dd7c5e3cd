// An unsharp mask on an image of nc channels in single precision: it is blurred along both
// directions, and a pixel that differs from the blurred image is moved away from it.
#inner = affine_map<()[s0] -> (s0 - 2)>

func.func @kernel_unsharp_mask(%nc: index, %nx: index, %ny: index, %threshold: f32, %weight: f32,
                               %image: memref<?x?x?xf32>, %rows: memref<?x?x?xf32>,
                               %blurred: memref<?x?x?xf32>, %result: memref<?x?x?xf32>) {
  %sixteenth = arith.constant 0.0625 : f32
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  %six = arith.constant 6.0 : f32
  affine.for %c = 0 to %nc {
    affine.for %i = 2 to #inner()[%nx] {
      affine.for %j = 0 to %ny {
        %image_c_im2_j = affine.load %image[%c, %i - 2, %j] : memref<?x?x?xf32>
        %image_c_im1_j = affine.load %image[%c, %i - 1, %j] : memref<?x?x?xf32>
        %product = arith.mulf %four, %image_c_im1_j : f32
        %sum = arith.addf %image_c_im2_j, %product : f32
        %image_c_i_j = affine.load %image[%c, %i, %j] : memref<?x?x?xf32>
        %product2 = arith.mulf %six, %image_c_i_j : f32
        %sum2 = arith.addf %sum, %product2 : f32
        %image_c_ip1_j = affine.load %image[%c, %i + 1, %j] : memref<?x?x?xf32>
        %product3 = arith.mulf %four, %image_c_ip1_j : f32
        %sum3 = arith.addf %sum2, %product3 : f32
        %image_c_ip2_j = affine.load %image[%c, %i + 2, %j] : memref<?x?x?xf32>
        %sum4 = arith.addf %sum3, %image_c_ip2_j : f32
        %product4 = arith.mulf %sixteenth, %sum4 : f32
        affine.store %product4, %rows[%c, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  affine.for %c = 0 to %nc {
    affine.for %i = 2 to #inner()[%nx] {
      affine.for %j = 2 to #inner()[%ny] {
        %rows_c_i_jm2 = affine.load %rows[%c, %i, %j - 2] : memref<?x?x?xf32>
        %rows_c_i_jm1 = affine.load %rows[%c, %i, %j - 1] : memref<?x?x?xf32>
        %product = arith.mulf %four, %rows_c_i_jm1 : f32
        %sum = arith.addf %rows_c_i_jm2, %product : f32
        %rows_c_i_j = affine.load %rows[%c, %i, %j] : memref<?x?x?xf32>
        %product2 = arith.mulf %six, %rows_c_i_j : f32
        %sum2 = arith.addf %sum, %product2 : f32
        %rows_c_i_jp1 = affine.load %rows[%c, %i, %j + 1] : memref<?x?x?xf32>
        %product3 = arith.mulf %four, %rows_c_i_jp1 : f32
        %sum3 = arith.addf %sum2, %product3 : f32
        %rows_c_i_jp2 = affine.load %rows[%c, %i, %j + 2] : memref<?x?x?xf32>
        %sum4 = arith.addf %sum3, %rows_c_i_jp2 : f32
        %product4 = arith.mulf %sixteenth, %sum4 : f32
        affine.store %product4, %blurred[%c, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  affine.for %c = 0 to %nc {
    affine.for %i = 2 to #inner()[%nx] {
      affine.for %j = 2 to #inner()[%ny] {
        %image_c_i_j = affine.load %image[%c, %i, %j] : memref<?x?x?xf32>
        %sum = arith.addf %one, %weight : f32
        %product = arith.mulf %image_c_i_j, %sum : f32
        %blurred_c_i_j = affine.load %blurred[%c, %i, %j] : memref<?x?x?xf32>
        %product2 = arith.mulf %blurred_c_i_j, %weight : f32
        %difference = arith.subf %product, %product2 : f32
        %difference2 = arith.subf %image_c_i_j, %blurred_c_i_j : f32
        %distance = math.absf %difference2 : f32
        %is_flat = arith.cmpf olt, %distance, %threshold : f32
        %pixel = arith.select %is_flat, %image_c_i_j, %difference : f32
        affine.store %pixel, %result[%c, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}
