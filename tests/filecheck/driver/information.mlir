// RUN: polyir-opt --version | filecheck %s --check-prefix OPT
// RUN: polyir-cc --version | filecheck %s --check-prefix CC
// RUN: polyir-run --version | filecheck %s --check-prefix TIMED
// RUN: polyir-alpha --version | filecheck %s --check-prefix ALPHA
// RUN: polyir-tune --version | filecheck %s --check-prefix TUNE
// RUN: polyir-machine --version | filecheck %s --check-prefix VERSION
// RUN: polyir-machine | filecheck %s --check-prefix MACHINE
// RUN: polyir-opt --list-passes | filecheck %s --check-prefix LIST
// RUN: polyir-cc --list-passes | filecheck %s --check-prefix LIST
// RUN: polyir-opt --list-passes --json | filecheck %s --check-prefix JSON
// RUN: not polyir-opt --json %s 2>&1 | filecheck %s --check-prefix ALONE
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
// JSON: "topic": "transformations of a schedule tree",
// JSON-NEXT: "summary": "Tile the permutable bands.",
// JSON-NEXT: "description": "Tile the permutable bands.
// JSON: "options": [
// JSON-NEXT: {
// JSON-NEXT: "name": "sizes",
// JSON-NEXT: "type": "a list of integers",
// JSON-NEXT: "default": "32",
// JSON-NEXT: "required": false
// ALONE: error: only --list-passes prints --json
// TILE: --tile: Tile the permutable bands.
// TILE: Before:
// TILE: poly.band
// TILE: sizes: a list of integers = 32
// XDSL: --canonicalize: Applies all canonicalization patterns.
// XDSL: It has no options.
// UNKNOWN: error: unknown pass 'tyle'; did you mean 'tile'?
