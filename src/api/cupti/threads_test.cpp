// Callbacks and records while threads call, and while others turn them on and off.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "api/cuda_state/stream.h"
#include "api/cuda_state/testing.h"
#include "api/cupti/call.h"
#include "api/cupti/functions.gen.h"
#include "api/entry/call_arguments.h"
#include "api/entry/listen.h"

namespace heddle::cupti {
namespace {

std::atomic<int> entered{0}, left{0}, resources{0}, records{0};

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId, const void* facts) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) ++resources;
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto* call = static_cast<const CUpti_CallbackData*>(facts);
  if (call->callbackSite == CUPTI_API_ENTER) {
    *call->correlationData = call->correlationId;
    ++entered;
  } else {
    EXPECT_TRUE(*call->correlationData == call->correlationId || *call->correlationData == 0);
    ++left;
  }
}
void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 4096;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}
void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (::cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) ++records;
  std::free(buffer);
}

// As the runtime's entry does it, with the same arguments.
const entry::Record create{"cudaStreamCreate", "*pStream"}, destroy{"cudaStreamDestroy", "stream"};
void make_and_end_a_stream(const cuda::ContextRef& context) {
  cuda::StreamRef made;
  void* handle = nullptr;
  {
    const entry::ArgumentList arguments{entry::argument(&handle)};
    const entry::GivenArguments given(arguments);
    const entry::Heard heard(create);
    made = *cuda::Stream::create(context, true, 0);
    if (heard) heard.ended(0, true, "", arguments);
  }
  handle = reinterpret_cast<void*>(made->handle());
  const entry::ArgumentList arguments{entry::argument(handle)};
  const entry::GivenArguments given(arguments);
  const entry::Heard heard(destroy);
  EXPECT_TRUE(made->destroy().ok());
  if (heard) heard.ended(0, true, "", arguments);
}

constexpr int rounds = 200;

TEST(Threads, AreCalledBackInPairs) {
  const cuda::TestProcess process;
  const cuda::ContextRef context = *cuda::runtime_context();
  entered = left = resources = 0;
  CUpti_SubscriberHandle subscriber = nullptr;
  ASSERT_EQ(::cuptiSubscribe(&subscriber, called, nullptr), CUPTI_SUCCESS);
  for (const auto domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE})
    ASSERT_EQ(::cuptiEnableDomain(1, subscriber, domain), CUPTI_SUCCESS);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) make_and_end_a_stream(context);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 4 * rounds * 2);
  EXPECT_EQ(left, entered);
  EXPECT_EQ(resources, 4 * rounds * 2);
  EXPECT_EQ(::cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
  make_and_end_a_stream(context);
  EXPECT_EQ(entered, 4 * rounds * 2);
}

TEST(Threads, MayTurnRecordsAndCallbacksOnAndOff) {
  const cuda::TestProcess process;
  const cuda::ContextRef context = *cuda::runtime_context();
  ASSERT_EQ(::cuptiActivityRegisterCallbacks(requested, completed), CUPTI_SUCCESS);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) make_and_end_a_stream(context);
    });
  std::thread turning([&] {
    while (!done) {
      CUpti_SubscriberHandle subscriber = nullptr;
      EXPECT_EQ(::cuptiSubscribe(&subscriber, called, nullptr), CUPTI_SUCCESS);
      EXPECT_EQ(::cuptiEnableAllDomains(1, subscriber), CUPTI_SUCCESS);
      EXPECT_EQ(::cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME), CUPTI_SUCCESS);
      EXPECT_EQ(::cuptiActivityFlushAll(0), CUPTI_SUCCESS);
      EXPECT_EQ(::cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME), CUPTI_SUCCESS);
      EXPECT_EQ(::cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  turning.join();
  ASSERT_EQ(::cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME), CUPTI_SUCCESS);
  EXPECT_EQ(::cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  records = 0;
  for (int round = 0; round < rounds; ++round) make_and_end_a_stream(context);
  EXPECT_EQ(::cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(records, 2 * rounds);
  EXPECT_EQ(::cuptiFinalize(), CUPTI_SUCCESS);
}

}  // namespace
}  // namespace heddle::cupti
