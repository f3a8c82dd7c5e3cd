// RUN: not polyir-opt --spatial-schedule=gpus %s 2>&1 | filecheck %s --check-prefix CHOICE
// RUN: not polyir-opt --spatial-schedule="line-sise=8" %s 2>&1 | filecheck %s --check-prefix NAME
// RUN: not polyir-opt --spatial-schedule="line-size=0" %s 2>&1 | filecheck %s --check-prefix LINE
// RUN: not polyir-opt --spatial-schedule="register-limit=-1" %s 2>&1 | filecheck %s --check-prefix LIMIT
// RUN: polyir-opt --spatial-schedule %s 2>&1 | filecheck %s --check-prefix NOTHING

// CHOICE: error: option 'target' of pass 'spatial-schedule' cannot be 'gpus'; did you mean 'gpu'?
// NAME: error: pass 'spatial-schedule' has no option 'line-sise'; did you mean 'line-size'?
// LINE: error: line-size must be 1 or more: line-size=0
// LIMIT: error: register-limit must not be negative: register-limit=-1
// NOTHING: [spatial-schedule] nothing to do: the module has no static control part

func.func @empty() {
  return
}
