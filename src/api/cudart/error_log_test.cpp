// The log of errors.

#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct Heard {
  std::string text;
  int count = 0;
};
void listen(void* data, cudaLogLevel level, char* message, size_t length) {
  auto& heard = *static_cast<Heard*>(data);
  EXPECT_EQ(level, cudaLogLevelError);
  heard.text.assign(message, length);
  ++heard.count;
  cudaSetDevice(0);  // whoever listens may call the API
}

class RuntimeErrorLog : public RuntimeApi {};

TEST_F(RuntimeErrorLog, SaysWhatWentWrong) {
  cudaLogIterator at = 0;
  ASSERT_EQ(cudaLogsCurrent(&at, 0), cudaSuccess);
  Heard heard;
  cudaLogsCallbackHandle handle = nullptr;
  ASSERT_EQ(cudaLogsRegisterCallback(listen, &heard, &handle), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(77), cudaErrorInvalidDevice);
  EXPECT_EQ(heard.count, 1);
  EXPECT_THAT(heard.text, HasSubstr("[CUDA][E][cudaSetDevice] cudaErrorInvalidDevice: "));
  EXPECT_THAT(heard.text, HasSubstr("77"));
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLogsUnregisterCallback(handle), cudaSuccess);
  EXPECT_EQ(cudaLogsUnregisterCallback(handle), cudaErrorInvalidValue);
  EXPECT_EQ(heard.count, 2);

  char buffer[4096];
  size_t size = sizeof buffer;
  ASSERT_EQ(cudaLogsDumpToMemory(&at, buffer, &size, 0), cudaSuccess);
  const std::string text = buffer;
  EXPECT_EQ(text.size(), size);
  EXPECT_LT(text.find("[cudaSetDevice]"), text.find("[cudaFree]"));
  EXPECT_THAT(text, HasSubstr("[cudaLogsUnregisterCallback]"));
  size = sizeof buffer;
  ASSERT_EQ(cudaLogsDumpToMemory(&at, buffer, &size, 0), cudaSuccess);
  EXPECT_EQ(size, 0u) << "the iterator has gone on";
  size = sizeof buffer;
  ASSERT_EQ(cudaLogsDumpToMemory(nullptr, buffer, &size, 0), cudaSuccess);
  EXPECT_THAT(buffer, HasSubstr("[cudaSetDevice]")) << "all that is there";
}

TEST_F(RuntimeErrorLog, WhatIsNotReadyIsNoError) {
  cudaLogIterator before = 0, after = 0;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaLogsCurrent(&before, 0), cudaSuccess);
  std::atomic<bool> go = false;
  ASSERT_EQ(cudaLaunchHostFunc(
                stream,
                [](void* data) {
                  while (!*static_cast<std::atomic<bool>*>(data)) {
                  }
                },
                &go),
            cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "cudaGetLastError() does not report it either";
  go = true;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaLogsCurrent(&after, 0), cudaSuccess);
  EXPECT_EQ(before, after);
}

TEST_F(RuntimeErrorLog, GoesToAFile) {
  const std::string path = testing::TempDir() + "heddle_error_log";
  cudaLogIterator at = 0;
  ASSERT_EQ(cudaLogsCurrent(&at, 0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(-2), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaLogsDumpToFile(&at, path.c_str(), 0), cudaSuccess);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("[cudaSetDevice]"));
  EXPECT_THAT(text.str(), EndsWith("\n"));
  std::remove(path.c_str());
  EXPECT_EQ(cudaLogsDumpToFile(&at, (path + "/folder").c_str(), 0), cudaErrorInvalidValue);
}

TEST_F(RuntimeErrorLog, RefusesWhatCannotBe) {
  cudaLogIterator at = 0;
  char buffer[32] = "";
  size_t size = 0;
  EXPECT_EQ(cudaLogsCurrent(&at, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLogsCurrent(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLogsDumpToMemory(&at, buffer, &size, 0), cudaErrorInvalidValue);
  size = 25601;
  EXPECT_EQ(cudaLogsDumpToMemory(&at, buffer, &size, 0), cudaErrorInvalidValue);
  size = sizeof buffer;
  EXPECT_EQ(cudaLogsDumpToMemory(&at, buffer, &size, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaLogsDumpToMemory(nullptr, buffer, &size, 0), cudaSuccess);
  EXPECT_THAT(buffer, HasSubstr("older entries")) << "no line is as short as that";
  cudaLogsCallbackHandle handle = nullptr;
  EXPECT_EQ(cudaLogsRegisterCallback(nullptr, nullptr, &handle), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::cudart
