// What a kernel, or a function that launches one, cannot have is one error at the operation.
// RUN: polyir-opt --split-input-file --verify-diagnostics --emit=cuda %s
// RUN: sed 's/the CUDA target/the OpenCL target/' %s | polyir-opt --split-input-file --verify-diagnostics --emit=opencl

module attributes {gpu.container_module} {
  gpu.module @m {
    // expected-error@+1 {{the device function 'helper' is not a kernel}}
    gpu.func @helper() {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    // expected-error@+1 {{a function with arrays cannot be called in a kernel}}
    func.func private @f(%A: memref<4xf64>) {
      return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      // expected-error@+1 {{operation 'memref.alloc' is not supported in a kernel}}
      %t = memref.alloc() : memref<4xf64>
      memref.dealloc %t : memref<4xf64>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%n: index, %v: f64) kernel {
      // expected-error@+1 {{an array whose size is not constant is not supported by the CUDA target}}
      %t = memref.alloca(%n) : memref<?xf64>
      affine.store %v, %t[0] : memref<?xf64>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    // expected-error@+1 {{memory of a kernel must have a constant size: 'memref<?xf64>'}}
    gpu.func @k() workgroup(%s : memref<?xf64>) kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    func.func private @own(f64) -> f64 attributes {llvm.readnone}
    gpu.func @k(%A: memref<f64>) kernel {
      %a = memref.load %A[] : memref<f64>
      // expected-error@+1 {{function 'own' cannot be called in a kernel}}
      %b = func.call @own(%a) : (f64) -> f64
      memref.store %b, %A[] : memref<f64>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @one {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  gpu.module @two {
    // expected-error@+1 {{two kernels have the same name 'k' in C}}
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    // expected-error@+1 {{type 'f16' is not supported: expected index, i1, i8, i16, i32, i64, f32 or f64}}
    gpu.func @k(%A: memref<4xf16>) kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @host(%A: memref<4xf64>, %B: memref<4xf64>) {
    // expected-error@+1 {{neither array of 'gpu.memcpy' comes from 'gpu.alloc'}}
    gpu.memcpy %A, %B : memref<4xf64>, memref<4xf64>
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @host() {
    // expected-error@+1 {{asynchronous 'gpu.alloc' is not supported}}
    %A, %t = gpu.alloc async () : memref<4xf64>
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @host() {
    // expected-error@+1 {{memory that host and device share is not supported}}
    %A = gpu.alloc host_shared () : memref<4xf64>
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @host(%n: index, %w: i32) {
    // expected-error@+1 {{a launch with dynamic shared memory or clusters is not supported}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %w
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @host() {
    // expected-error@+1 {{operation 'gpu.wait' is not supported by the CUDA target}}
    gpu.wait
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%A: memref<?xf64>) kernel {
      // expected-error@+1 {{a kernel can only copy a vector: load it, and store it right after}}
      %v = affine.vector_load %A[0] : memref<?xf64>, vector<2xf64>
      %w = arith.addf %v, %v : vector<2xf64>
      affine.vector_store %w, %A[0] : memref<?xf64>, vector<2xf64>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%A: memref<?xf64>, %B: memref<?xf64>) kernel {
      %v = affine.vector_load %A[0] : memref<?xf64>, vector<4xf64>
      // expected-error@+1 {{vectors in kernels must have 16 bytes, not 'vector<4xf64>'}}
      affine.vector_store %v, %B[0] : memref<?xf64>, vector<4xf64>
      gpu.return
    }
  }
}
