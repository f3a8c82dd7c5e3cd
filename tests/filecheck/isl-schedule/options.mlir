// RUN: not polyir-opt --isl-schedule=maximum %s 2>&1 | filecheck %s --check-prefix CHOICE
// RUN: not polyir-opt --isl-schedule="outer-coincidance=true" %s 2>&1 | filecheck %s --check-prefix NAME

// CHOICE: error: option 'fusion' of pass 'isl-schedule' cannot be 'maximum'; did you mean 'max'?
// NAME: error: pass 'isl-schedule' has no option 'outer-coincidance'; did you mean 'outer-coincidence'?

func.func @empty() {
  return
}
