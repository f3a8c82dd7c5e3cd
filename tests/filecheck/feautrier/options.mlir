// RUN: not polyir-opt --feautrier-schedule="serialise=true" %s 2>&1 | filecheck %s --check-prefix NAME
// RUN: not polyir-opt --feautrier-schedule="serialize=2" %s 2>&1 | filecheck %s --check-prefix VALUE
// RUN: polyir-opt --feautrier-schedule %s 2>&1 >/dev/null | filecheck %s --check-prefix NOTHING

// NAME: error: pass 'feautrier-schedule' has no option 'serialise'; did you mean 'serialize'?
// VALUE: error: option 'serialize' of pass 'feautrier-schedule' must be true|false, not '2'
// NOTHING: warning: [feautrier-schedule] nothing to do: the module has no static control part

func.func @empty() {
  return
}
