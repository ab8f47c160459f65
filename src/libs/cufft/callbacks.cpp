// Callbacks are device functions that a device's transform calls while it loads and stores. Transforms here
// are code of the host, which calls none: setting one is a stub.
#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {

// None is set.
void cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType) {
  find_plan(plan);
  libs::require(cbType >= CUFFT_CB_LD_COMPLEX && cbType < CUFFT_CB_UNDEFINED, "no such callback");
}

}  // namespace heddle::cufft
