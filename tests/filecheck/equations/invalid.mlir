// RUN: not polyir-opt --split-input-file --emit=none %s 2>&1 | filecheck %s

// Each verifier's errors; a system has what it needs around the wrong part.

equations.system @s parameters ["N", "N"] context "[N] -> { : }" {
}
// CHECK: invalid.mlir:5:1: error: 'equations.system' op has two parameters with the same name

// -----
equations.system @s parameters ["N"] context "[M] -> { : }" {
}
// CHECK: invalid.mlir:10:1: error: 'equations.system' op needs the parameters (N) in its context

// -----
equations.system @s parameters ["N"] context "[N] -> { [i] : }" {
}
// CHECK: error: 'equations.system' op needs a set of parameters as its context

// -----
equations.system @s parameters [] context "{ : }" {
  equations.body context "{ : }" {
  }
  equations.variable @X input "{ [i] : }"
}
// CHECK: error: 'equations.system' op holds equations.variable operations, then equations.body operations

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X input "{ [i] : }"
  equations.variable @X local "{ [i] : }"
}
// CHECK: error: 'equations.system' op has two variables with the name @X

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X constant "{ [i] : }"
}
// CHECK: invalid.mlir:36:3: error: 'equations.variable' op has the unknown role 'constant'

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X input "{ : }"
}
// CHECK: error: 'equations.variable' op has a domain without points

// -----
equations.system @s parameters ["N"] context "[N] -> { : }" {
  equations.variable @X input "[N, M] -> { [i] : i < M }"
}
// CHECK: error: 'equations.variable' op has the parameters (N, M) in "[N, M] -> { [i] : i < M }", and the system has (N)

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X input "{ A[i] : }"
}
// CHECK: error: 'equations.variable' op has points with a name in "{ A[i] }"

// -----
equations.variable @X input "{ [i] : }"
// CHECK: error: 'equations.variable' op must be in an operation 'equations.system'

// -----
equations.system @s parameters ["N"] context "[N] -> { : }" {
  equations.body context "{ : }" {
  }
}
// CHECK: error: 'equations.body' op needs the parameters (N) in its context

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
    equations.define @X {
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.body' op has two equations for @X

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X input "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.define' op defines the input @X

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @Total local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @Totals {
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.define' op refers to the unknown variable @Totals; did you mean @Total?

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <2>
      equations.yield %0 : <2>
    }
  }
}
// CHECK: error: 'equations.define' op has 2 dimensions, and the variable @X has 1

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X indices ["i", "j"] {
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.define' op has 2 names of indices, and the variable @X has 1 dimension

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
    }
  }
}
// CHECK: error: 'equations.define' op must end in equations.yield

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %1 = arith.constant 1 : i32
      %0 = equations.constant 1 : <1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.define' op must hold expressions only

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.read @X : <1>
      %1 = "equations.depend"(%0) <{function = #poly.multi_aff<"{ [i] -> [i, i] }">}> : (!equations.expression<1>) -> !equations.expression<1>
      equations.yield %1 : <1>
    }
  }
}
// CHECK: invalid.mlir:163:7: error: 'equations.depend' op needs a function to points of 1 dimension, not 2

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.read @X : <1>
      %1 = equations.depend %0 by "{ [i, j] -> [i, j] }"
      equations.yield %1 : <2>
    }
  }
}
// CHECK: invalid.mlir:176:29: error: operand is used with type !equations.expression<2>, but has been previously used or defined with type !equations.expression<1>

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      %1 = equations.reduce "-" %0 by "{ [i] -> [i] }"
      equations.yield %1 : <1>
    }
  }
}
// CHECK: error: 'equations.reduce' op has the operator '-'; those of reductions are +, *, min, max, and, or, xor

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      %1 = equations.apply "%"(%0, %0) : <1>
      equations.yield %1 : <1>
    }
  }
}
// CHECK: error: 'equations.apply' op has the unknown operator '%'

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      %1 = equations.apply "not"(%0, %0) : <1>
      equations.yield %1 : <1>
    }
  }
}
// CHECK: error: 'equations.apply' op has the operator 'not' of 2 operands

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      %1 = equations.apply @f(%0) : <1>
      equations.yield %1 : <1>
    }
  }
}
// CHECK: error: 'equations.apply' op applies the unknown external function @f

// -----
equations.external @f arguments 2
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.constant 1 : <1>
      %1 = equations.apply @f(%0) : <1>
      equations.yield %1 : <1>
    }
  }
}
// CHECK: error: 'equations.apply' op applies @f, which has 2 arguments, to 1

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = "equations.case"() : () -> !equations.expression<1>
      equations.yield %0 : <1>
    }
  }
}
// CHECK: error: 'equations.case' op needs at least one branch

// -----
equations.system @s parameters [] context "{ : }" {
  equations.variable @X local "{ [i] : }"
  equations.body context "{ : }" {
    equations.define @X {
      %0 = equations.index "{ [i] -> [i : i > 0] }"
      equations.yield %0 : <1>
    }
  }
}
// CHECK: invalid.mlir:266:28: error: malformed isl object for poly.aff

// -----
equations.system @s parameters [] context "{ : }" {
  equations.body context "{ : }" {
    equations.use @t domain "{ [] }" parameters "{ [] -> [] }" {
      equations.connect () to () : () to ()
    }
  }
}
// CHECK: error: 'equations.use' op uses the unknown system @t

// -----
equations.system @t parameters ["K"] context "[K] -> { : }" {
  equations.variable @A input "[K] -> { [i] : }"
}
equations.system @s parameters [] context "{ : }" {
  equations.body context "{ : }" {
    equations.use @t domain "{ [] }" parameters "{ [] -> [] }" {
      equations.connect () to () : () to ()
    }
  }
}
// CHECK: error: 'equations.use' op must give 1 parameters to @t

// -----
equations.system @t parameters [] context "{ : }" {
  equations.variable @A input "{ [i] : }"
}
equations.system @s parameters [] context "{ : }" {
  equations.body context "{ : }" {
    equations.use @t domain "{ [] }" parameters "{ [] -> [] }" {
      equations.connect () to () : () to ()
    }
  }
}
// CHECK: error: 'equations.use' op must connect the 1 inputs of @t, not 0

// -----
equations.system @t parameters [] context "{ : }" {
  equations.variable @A input "{ [i] : }"
}
equations.system @s parameters [] context "{ : }" {
  equations.body context "{ : }" {
    equations.use @t domain "{ [k] }" parameters "{ [k] -> [] }" {
      %0 = equations.constant 1 : <1>
      equations.connect (%0) to () : (<1>) to ()
    }
  }
}
// CHECK: error: 'equations.use' op must connect the input @A to an expression of 2 dimensions, not 1

// -----
func.func @f(%n: index, %a: memref<?xf64>) {
  equations.compute @s(%n) inputs () outputs (%a : memref<?xf64>)
  func.return
}
// CHECK: error: 'equations.compute' op computes the unknown system @s

// -----
func.func @f(%n: index, %a: memref<?xf64>) {
  equations.compute @s(%n) inputs () outputs (%a : memref<?xf64>)
  func.return
}
equations.system @s parameters [] context "{ : }" {
  equations.variable @X output "{ [i] : }"
}
// CHECK: error: 'equations.compute' op needs 0 parameters

// -----
func.func @f(%a: memref<?xf64>) {
  equations.compute @s() inputs () outputs (%a : memref<?xf64>)
  func.return
}
equations.system @s parameters [] context "{ : }" {
  equations.variable @X output "{ [i, j] : }"
}
// CHECK: error: 'equations.compute' op needs memory of 2 dimensions for @X, not 1 dimension

// -----
equations.system @s parameters [] context "{ : }" elements i8 {
}
// CHECK: error: 'equations.system' op has elements of the type i8
