// PTX without lines, by the driver API: inf - inf, and a selection that carries what comes of it.
#include <cuda.h>

#include <cstdio>

static const char text[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry differs(.param .u64 out)
{
  .reg .b64 %rd<3>;  .reg .f64 %d<4>;  .reg .b32 %r<2>;  .reg .pred %p;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 8;
  add.u64 %rd1, %rd0, %rd1;
  ld.global.f64 %d0, [%rd1];
  setp.eq.u32 %p, %r0, 5;
  @%p sub.rn.f64 %d1, %d0, %d0;
  selp.f64 %d2, %d1, 0d3FF0000000000000, %p;
  st.global.f64 [%rd1], %d2;
  ret;
}
)";

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr out;
  double host[32];
  for (double& one : host) one = __builtin_inf();
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuModuleLoadData(&module, text);
  cuModuleGetFunction(&kernel, module, "differs");
  cuMemAlloc(&out, sizeof host);
  cuMemcpyHtoD(out, host, sizeof host);
  void* arguments[] = {&out};
  const CUresult launched = cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  std::printf("launched: %d %d\n", launched, cuCtxSynchronize());
  return 0;
}
