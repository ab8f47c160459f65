// nvcc's own warnings, which clang has not: each off, on, an error, and suppressed by its number.
// RUN: %nvcc -c %s -o %t.o 2>&1 | count 0
// RUN: %nvcc -ptx %s -o %t.ptx -Wdefault-stream-launch 2>&1 | FileCheck %s --check-prefix=STREAM --implicit-check-not=warning:
// RUN: not %nvcc -c %s -o %t.o -Werror default-stream-launch 2>&1 | FileCheck %s --check-prefix=NO-STREAM --implicit-check-not=error:
// RUN: %nvcc -c %s -o %t.o -Wmissing-launch-bounds 2>&1 | FileCheck %s --check-prefix=BOUNDS --implicit-check-not=warning:
// RUN: not %nvcc -c %s -o %t.o -Werror missing-launch-bounds 2>&1 | FileCheck %s --check-prefix=NO-BOUNDS
// RUN: %nvcc -c %s -o %t.o -Wext-lambda-captures-this --extended-lambda 2>&1 | FileCheck %s --check-prefix=THIS --implicit-check-not=warning:
// RUN: not %nvcc -c %s -o %t.o -Werror ext-lambda-captures-this 2>&1 | FileCheck %s --check-prefix=NO-THIS
// RUN: not %nvcc -c %s -o %t.o -Werror cross-execution-space-call 2>&1 | FileCheck %s --check-prefix=CROSS --implicit-check-not=error:
// RUN: not %nvcc -c %s -o %t.o -Wmissing-launch-bounds -Werror all-warnings 2>&1 | FileCheck %s --check-prefix=NO-BOUNDS
// RUN: %nvcc -c %s -o %t.o -Werror default-stream-launch -diag-suppress 20198 2>&1 | count 0
// RUN: %nvcc -c %s -o %t.o -Wdefault-stream-launch -w 2>&1 | count 0
__host__ int host_only(int x) { return x + 1; }
constexpr int constant(int x) { return x; }
// CROSS: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: calling a __host__ function 'host_only' from a __host__ __device__ function 'both' is not allowed [-Werror=cross-execution-space-call]
inline __host__ __device__ int both(int x) { return host_only(x) + constant(x); }
template <class T>
__host__ __device__ int in_template(T x) {
  // CROSS: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: calling a __host__ function 'host_only' from a __host__ __device__ function 'in_template<int>'
  return host_only(x);
}
#pragma nv_exec_check_disable
template <class T>
__host__ __device__ int unchecked(T x) {
  return host_only(x);
}
// CROSS: 2 errors detected
// BOUNDS: own_warnings.cu:[[# @LINE + 2]]:17: warning: no __launch_bounds__ specified for __global__ function [-Wmissing-launch-bounds]
// NO-BOUNDS: own_warnings.cu:[[# @LINE + 1]]:17: error: no __launch_bounds__ specified for __global__ function [-Werror=missing-launch-bounds]
__global__ void free_kernel(int* p) { *p = 1; }
__global__ void __launch_bounds__(32) bounded(int* p) { *p = 1; }
// BOUNDS: own_warnings.cu:[[# @LINE + 2]]:17: warning: no __launch_bounds__
template <class T>
__global__ void of_type(T* p) {
  *p = 1;
}
struct S {
  int member = 1;
  template <class F>
  void run(F) {}
  void go() {
    // THIS: own_warnings.cu:[[# @LINE + 2]]:{{[0-9]+}}: warning: implicit capture of 'this' in extended lambda expression [-Wext-lambda-captures-this]
    // NO-THIS: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: implicit capture of 'this'
    run([=] __device__() { return member; });
    run([this] __device__() { return member; });
    run([=] { return member; });
  }
};
template <class T>
void launch(T* p) {
  // STREAM: own_warnings.cu:[[# @LINE + 2]]:{{[0-9]+}}: warning: explicit stream argument not provided in kernel launch [-Wdefault-stream-launch]
  // NO-STREAM: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: explicit stream argument not provided
  of_type<<<1, 1>>>(p);
}
int main() {
  // STREAM: own_warnings.cu:[[# @LINE + 2]]:{{[0-9]+}}: warning: explicit stream
  // NO-STREAM: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: explicit stream
  free_kernel<<<1, 1>>>(nullptr);
  // STREAM: own_warnings.cu:[[# @LINE + 2]]:{{[0-9]+}}: warning: explicit stream
  // NO-STREAM: own_warnings.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: explicit stream
  bounded<<<1, 1, 0>>>(nullptr);
  bounded<<<1, 1, 0, 0>>>(nullptr);
  bounded<<<1, 1, 0, nullptr>>>(nullptr);
  int value = both(1) + in_template(2) + unchecked(3);
  launch(&value);
  S().go();
}
