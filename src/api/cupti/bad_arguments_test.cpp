// Every implemented function of CUPTI with each of its arguments bad in every way that its type allows.
#include "api/entry/bad_arguments.h"

#include <cstdlib>

#include "api/cuda_state/event.h"
#include "api/cuda_state/stream.h"
#include "api/cuda_state/testing.h"
#include "api/cupti/calls.gen.h"
#include "api/cupti/session.h"

namespace heddle::cupti {
namespace {

void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* records) {
  *buffer = nullptr;
  *size = *records = 0;
}
void CUPTIAPI completed(CUcontext, uint32_t, uint8_t*, size_t, size_t) {}
uint64_t CUPTIAPI timestamp() { return 1; }

class ProfilerWorld : public entry::World {
 public:
  ~ProfilerWorld() override { renew(); }
  void renew() override {
    ::cuptiFinalize();
    subscriber_ = nullptr;
  }
  uint64_t good(std::string_view type) override {
    if (type == "CUpti_SubscriberHandle") {
      if (subscriber_ == nullptr) EXPECT_EQ(::cuptiSubscribe(&subscriber_, called, nullptr), CUPTI_SUCCESS);
      return reinterpret_cast<uint64_t>(subscriber_);
    }
    if (type == "CUcontext") return context()->handle();
    if (type == "CUevent") {
      static cuda::EventRef event;
      event = *cuda::Event::create(context(), 0, true);
      return event->handle();
    }
    if (type == "CUstream") {
      static cuda::StreamRef stream;
      stream = *cuda::Stream::create(context(), true, 0);
      return stream->handle();
    }
    return 0;
  }
  uint64_t freed(std::string_view type) override {
    if (type != "CUcontext") return 0;
    const auto made = cuda::Context::create(context()->device(), 0, false);
    const uint64_t handle = made ? (*made)->handle() : 0;
    if (made) (*made)->destroy();
    return handle;
  }
  uint64_t foreign(std::string_view) override { return 0; }
  uint64_t memory() override { return 0; }
  uint64_t freed_memory() override { return 0; }
  uint64_t foreign_memory() override { return 0; }
  uint64_t function() override { return 0; }
  uint64_t symbol() override { return 0; }
  uint64_t callback(std::string_view type) override {
    if (type == "CUpti_CallbackFunc") return reinterpret_cast<uint64_t>(called);
    if (type == "CUpti_BuffersCallbackRequestFunc") return reinterpret_cast<uint64_t>(requested);
    if (type == "CUpti_BuffersCallbackCompleteFunc") return reinterpret_cast<uint64_t>(completed);
    return reinterpret_cast<uint64_t>(timestamp);
  }

 private:
  static cuda::ContextRef context() { return *cuda::runtime_context(); }
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

TEST(BadArguments, AreRefusedByCupti) {
  const cuda::TestProcess process;
  entry::Documented documented;
  documented.null = CUPTI_ERROR_INVALID_PARAMETER;
  documented.handle = CUPTI_ERROR_INVALID_PARAMETER;
  documented.device = CUPTI_ERROR_INVALID_DEVICE;
  documented.enumeration = CUPTI_ERROR_INVALID_PARAMETER;
  documented.size = CUPTI_ERROR_INVALID_PARAMETER;
  documented.types["CUcontext"] = CUPTI_ERROR_INVALID_CONTEXT;
  documented.types["CUpti_ActivityKind"] = CUPTI_ERROR_INVALID_KIND;
  documented.types["CUstream"] = CUPTI_ERROR_INVALID_STREAM;
  documented.never_returned = {CUPTI_ERROR_UNKNOWN};
  for (const char* place : {"cuptiActivityEnableContext: context", "cuptiActivityDisableContext: context"})
    documented.places[place] = CUPTI_ERROR_INVALID_CONTEXT;
  entry::Allowed allowed;
  for (const char* place : {"cuptiGetResultString: result", "cuptiGetErrorMessage: result"})
    allowed[place] = "the number beyond the last has a name";
  allowed["cuptiActivityDisable: kind"] = "what is none is off";
  for (const char* place : {"cuptiActivityGetNextRecord: validBufferSizeBytes",
                            "cuptiActivityGetNextRecord_v2: validBufferSizeBytes"})
    allowed[place] = "of the caller's buffer";
  ProfilerWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::cupti
