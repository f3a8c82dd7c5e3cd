// A convolution of an image of nc channels with nk filters of size nr x ns in single precision,
// and the gradients of its result with respect to the filters and to the image.
#covered = affine_map<()[s0, s1] -> (s0 + s1 - 1)>

func.func @kernel_conv2d(%nk: index, %nc: index, %nh: index, %nw: index, %np: index, %nq: index,
                         %nr: index, %ns: index, %image: memref<?x?x?xf32>,
                         %filters: memref<?x?x?x?xf32>, %result: memref<?x?x?xf32>,
                         %d_result: memref<?x?x?xf32>, %d_filters: memref<?x?x?x?xf32>,
                         %d_image: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %k = 0 to %nk {
    affine.for %y = 0 to %np {
      affine.for %x = 0 to %nq {
        affine.store %zero, %result[%k, %y, %x] : memref<?x?x?xf32>
        affine.for %c = 0 to %nc {
          affine.for %r = 0 to %nr {
            affine.for %s = 0 to %ns {
              %result_k_y_x = affine.load %result[%k, %y, %x] : memref<?x?x?xf32>
              %filters_k_c_r_s = affine.load %filters[%k, %c, %r, %s] : memref<?x?x?x?xf32>
              %image_c_ypr_xps = affine.load %image[%c, %y + %r, %x + %s] : memref<?x?x?xf32>
              %product = arith.mulf %filters_k_c_r_s, %image_c_ypr_xps : f32
              %sum = arith.addf %result_k_y_x, %product : f32
              affine.store %sum, %result[%k, %y, %x] : memref<?x?x?xf32>
            }
          }
        }
      }
    }
  }
  affine.for %k = 0 to %nk {
    affine.for %c = 0 to %nc {
      affine.for %r = 0 to %nr {
        affine.for %s = 0 to %ns {
          affine.store %zero, %d_filters[%k, %c, %r, %s] : memref<?x?x?x?xf32>
          affine.for %y = 0 to %np {
            affine.for %x = 0 to %nq {
              %d_filters_k_c_r_s = affine.load %d_filters[%k, %c, %r, %s] : memref<?x?x?x?xf32>
              %d_result_k_y_x = affine.load %d_result[%k, %y, %x] : memref<?x?x?xf32>
              %image_c_ypr_xps = affine.load %image[%c, %y + %r, %x + %s] : memref<?x?x?xf32>
              %product = arith.mulf %d_result_k_y_x, %image_c_ypr_xps : f32
              %sum = arith.addf %d_filters_k_c_r_s, %product : f32
              affine.store %sum, %d_filters[%k, %c, %r, %s] : memref<?x?x?x?xf32>
            }
          }
        }
      }
    }
  }
  affine.for %c = 0 to %nc {
    affine.for %y = 0 to #covered()[%np, %nr] {
      affine.for %x = 0 to #covered()[%nq, %ns] {
        affine.store %zero, %d_image[%c, %y, %x] : memref<?x?x?xf32>
      }
    }
  }
  affine.for %k = 0 to %nk {
    affine.for %c = 0 to %nc {
      affine.for %y = 0 to %np {
        affine.for %x = 0 to %nq {
          affine.for %r = 0 to %nr {
            affine.for %s = 0 to %ns {
              %d_image_c_ypr_xps = affine.load %d_image[%c, %y + %r, %x + %s] : memref<?x?x?xf32>
              %d_result_k_y_x = affine.load %d_result[%k, %y, %x] : memref<?x?x?xf32>
              %filters_k_c_r_s = affine.load %filters[%k, %c, %r, %s] : memref<?x?x?x?xf32>
              %product = arith.mulf %d_result_k_y_x, %filters_k_c_r_s : f32
              %sum = arith.addf %d_image_c_ypr_xps, %product : f32
              affine.store %sum, %d_image[%c, %y + %r, %x + %s] : memref<?x?x?xf32>
            }
          }
        }
      }
    }
  }
  return
}
