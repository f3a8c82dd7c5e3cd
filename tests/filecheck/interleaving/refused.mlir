// What is not possible is refused with the statements and the dependences that say so.
// RUN: polyir-opt --interleaving-schedule="S0,S1,S2" --remarks --emit=none %S/../../../examples/sec36-matvec-chain.mlir 2>&1 | filecheck %s --check-prefix TOGETHER
// RUN: polyir-opt --interleaving-schedule="S1|S0|S2" --remarks --emit=none %S/../../../examples/sec36-matvec-chain.mlir 2>&1 | filecheck %s --check-prefix ORDER
// RUN: polyir-opt --interleaving-schedule="S0|S1" --remarks --emit=none %S/../../../examples/fig7-jacobi-2d-imperfect.mlir 2>&1 | filecheck %s --check-prefix CYCLE
// RUN: not polyir-opt --interleaving-schedule="S0|S1" --emit=none %S/../../../examples/sec36-matvec-chain.mlir 2>&1 | filecheck %s --check-prefix LACKS
// RUN: not polyir-opt --interleaving-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --interleaving-schedule="pattern=S0 shift=-1" --emit=none %s 2>&1 | filecheck %s --check-prefix SHIFT
// RUN: not polyir-opt --print-interleavings="most=-1" --emit=none %s 2>&1 | filecheck %s --check-prefix MOST

// TOGETHER: warning: [interleaving-schedule] the schedule is left as it was: S0, S1, S2 cannot share a loop: the flow dependence through y from S0 to S1, the flow dependence through z from S1 to S2
// ORDER: warning: [interleaving-schedule] the schedule is left as it was: S1 must not run before S0: the flow dependence through y from S0 to S1
// CYCLE: warning: [interleaving-schedule] the schedule is left as it was: S0 and S1 must share a loop: the flow dependence through a from S1 to S0, the anti dependence through b from S1 to S0
// LACKS: error: pattern=S0|S1: a level lacks S2
// NONE: error: pass 'interleaving-schedule' requires the option 'pattern'
// SHIFT: error: shift must be 0 or more: shift=-1
// MOST: error: most must be 0 or more: most=-1
