#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {

void cufftExecC2C(cufftHandle plan, cufftComplex* idata, cufftComplex* odata, int direction) {
  execute("cufftExecC2C", plan, idata, odata, direction, CUFFT_C2C);
}

void cufftExecR2C(cufftHandle plan, cufftReal* idata, cufftComplex* odata) {
  execute("cufftExecR2C", plan, idata, odata, CUFFT_FORWARD, CUFFT_R2C);
}

void cufftExecC2R(cufftHandle plan, cufftComplex* idata, cufftReal* odata) {
  execute("cufftExecC2R", plan, idata, odata, CUFFT_INVERSE, CUFFT_C2R);
}

void cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleComplex* odata, int direction) {
  execute("cufftExecZ2Z", plan, idata, odata, direction, CUFFT_Z2Z);
}

void cufftExecD2Z(cufftHandle plan, cufftDoubleReal* idata, cufftDoubleComplex* odata) {
  execute("cufftExecD2Z", plan, idata, odata, CUFFT_FORWARD, CUFFT_D2Z);
}

void cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleReal* odata) {
  execute("cufftExecZ2D", plan, idata, odata, CUFFT_INVERSE, CUFFT_Z2D);
}

void cufftXtExec(cufftHandle plan, void* input, void* output, int direction) {
  execute("cufftXtExec", plan, input, output, direction, std::nullopt);
}

}  // namespace heddle::cufft
