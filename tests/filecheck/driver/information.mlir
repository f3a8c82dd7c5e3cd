// RUN: polyir-opt --version | filecheck %s --check-prefix OPT
// RUN: polyir-cc --version | filecheck %s --check-prefix CC
// RUN: polyir-run --version | filecheck %s --check-prefix TIMED
// RUN: polyir-alpha --version | filecheck %s --check-prefix ALPHA
// RUN: polyir-tune --version | filecheck %s --check-prefix TUNE
// RUN: polyir-machine --version | filecheck %s --check-prefix VERSION
// RUN: polyir-machine | filecheck %s --check-prefix MACHINE
// RUN: polyir-opt --list-passes | filecheck %s --check-prefix LIST
// RUN: polyir-cc --list-passes | filecheck %s --check-prefix LIST
// RUN: polyir-run --help-pass=tile | filecheck %s --check-prefix TILE
// RUN: polyir-opt --help-pass canonicalize | filecheck %s --check-prefix XDSL
// RUN: not polyir-opt --help-pass=tyle 2>&1 | filecheck %s --check-prefix UNKNOWN

// OPT: polyir-opt {{[0-9.]+}} (xdsl {{[0-9.]+}}, islpy {{[0-9.]+}})
// CC: polyir-cc {{[0-9.]+}} (xdsl
// TIMED: polyir-run {{[0-9.]+}} (xdsl
// ALPHA: polyir-alpha {{[0-9.]+}} (xdsl
// TUNE: polyir-tune {{[0-9.]+}} (xdsl
// VERSION: polyir-machine {{[0-9.]+}} (xdsl
// MACHINE: "caches": [
// MACHINE: "cores": {{[0-9]+}}
// LIST: poly-raise Replace the static control parts
// LIST: tile Tile the permutable bands.
// LIST: canonicalize Applies all canonicalization patterns.
// TILE: --tile: Tile the permutable bands.
// TILE: Before:
// TILE: poly.band
// TILE: sizes: a list of integers = 32
// XDSL: --canonicalize: Applies all canonicalization patterns.
// XDSL: It has no options.
// UNKNOWN: error: unknown pass 'tyle'; did you mean 'tile'?
