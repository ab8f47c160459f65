#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {
namespace {

int64_t& property_of(Plan& plan, cufftProperty property, libs::Why why = libs::Why::not_supported) {
  switch (property) {
    case NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT: return plan.patient;
    case NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS: return plan.host_threads;
  }
  libs::refuse(why, "no such property");
}

}  // namespace

void cufftGetVersion(int* version) {
  if (version == nullptr) libs::refuse_null("version");
  *version = CUFFT_VERSION;
}

void cufftGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) libs::refuse_null("value");
  switch (type) {
    case MAJOR_VERSION: *value = CUFFT_VER_MAJOR; return;
    case MINOR_VERSION: *value = CUFFT_VER_MINOR; return;
    case PATCH_LEVEL: *value = CUFFT_VER_PATCH; return;
  }
  libs::refuse_code(CUFFT_INVALID_TYPE, "no such property");
}

// Hints for the making of kernels, kept to be asked for.
void cufftSetPlanPropertyInt64(cufftHandle plan, cufftProperty property, const long long inputValueInt) {
  const auto found = find_plan(plan);
  const std::lock_guard lock(found->mutex);
  property_of(*found, property) = inputValueInt;
}

void cufftGetPlanPropertyInt64(cufftHandle plan, cufftProperty property, long long* returnPtrValue) {
  const auto found = find_plan(plan);
  if (returnPtrValue == nullptr) libs::refuse_null("returnPtrValue");
  const std::lock_guard lock(found->mutex);
  *returnPtrValue = property_of(*found, property, libs::Why::invalid_value);
}

void cufftResetPlanProperty(cufftHandle plan, cufftProperty property) {
  const auto found = find_plan(plan);
  const std::lock_guard lock(found->mutex);
  property_of(*found, property) = 0;
}

}  // namespace heddle::cufft
