// Single messages by nvcc's numbers and names, as options and as pragmas.
// RUN: %nvcc -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ALL --implicit-check-not=warning %s
// RUN: %nvcc -c -diag-suppress 177,550 %s -o %t.o 2>&1 | FileCheck --allow-empty --check-prefix=NONE %s
// RUN: %nvcc -c -Xcudafe --diag_suppress=declared_but_not_referenced -Xcudafe "--diag_suppress=550 --display_error_number" %s -o %t.o 2>&1 | FileCheck --allow-empty --check-prefix=NONE %s
// RUN: not %nvcc -c -diag-error 177 %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: %nvcc -c -Werror all-warnings -diag-warn=177 -diag-suppress=550 %s -o %t.o 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: %nvcc -c -diag-suppress 20012,99999,no_such_name -diag-suppress 177,550 %s -o %t.o 2>&1 | FileCheck --allow-empty --check-prefix=NONE %s
// RUN: not %nvcc -c -DERRORS -diag-suppress 177,550 %s -o %t.o 2>&1 | FileCheck --check-prefix=PRAGMA %s
// The preprocessor hands them on.
// RUN: %nvcc -E %s | FileCheck --check-prefix=PASSED %s
// ALL-DAG: warning: unused variable 'device'
// ALL-DAG: warning: unused variable 'host'
// ALL-DAG: warning: variable 'set' set but not used
// ALL-DAG: warning: unused variable 'again'
// NONE-NOT: warning
// ERROR: error: unused variable 'device'
// WARN: warning: unused variable 'device'
// PRAGMA: error: unused variable 'bad'
// PRAGMA: error: variable 'worse' set but not used
// PASSED: #pragma nv_diag_suppress 177
__global__ void kernel() { int device; }
void function() {
  int host;
  int set;
  set = 1;
}
#pragma nv_diagnostic push
#pragma nv_diag_suppress 177
void quiet() { int one; }
__device__ void quiet_too() { int two; }
#pragma nv_diagnostic pop
#pragma nv_diag_suppress declared_but_not_referenced, 550
void quiet_again() {
  int three, four;
  four = 4;
}
#pragma nv_diag_default 177
void loud() {
  int again;
  int five;
  five = 5;
}
#ifdef ERRORS
#pragma nv_diag_error 177, set_but_not_used
void wrong() {
  int bad;
  int worse;
  worse = 1;
}
#endif
