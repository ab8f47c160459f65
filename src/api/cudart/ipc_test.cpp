// Memory and events of one process in another: the test starts itself again, which is the other process.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "api/cudart/testing.h"

extern char** environ;

namespace heddle::cudart {
namespace {

constexpr const char* variable = "HEDDLE_TEST_IPC";

struct Shared {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t first, second;
};

std::string text_of(const Shared& shared) {
  std::string text;
  for (std::size_t i = 0; i < sizeof shared; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", reinterpret_cast<const unsigned char*>(&shared)[i]);
    text += two;
  }
  return text;
}
Shared shared_of(const std::string& text) {
  Shared shared{};
  for (std::size_t i = 0; i < sizeof shared && 2 * i < text.size(); ++i)
    reinterpret_cast<unsigned char*>(&shared)[i] =
        static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return shared;
}

class Ipc : public RuntimeApi {
 protected:
  static cudaEvent_t make_event() {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming), cudaSuccess);
    return event;
  }
  // Runs the test that is named in a process of its own; its exit status.
  static int run(const std::string& test, const Shared& shared) {
    const std::string filter = "--gtest_filter=" + test;
    std::vector<std::string> words = {"/proc/self/exe", filter, "--gtest_also_run_disabled_tests",
                                      "--gtest_output="};
    std::vector<char*> arguments, variables;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::string handles = std::string(variable) + "=" + text_of(shared);
    for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
    variables.push_back(handles.data());
    variables.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), variables.data()) != 0)
      return -1;
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Ipc, TwoProcessesWorkOnTheSameMemoryInTheOrderOfEvents) {
  int* const data = device_ints({1, 2, 3, 4});
  const cudaEvent_t first = make_event(), second = make_event();
  Shared shared{};
  ASSERT_EQ(cudaIpcGetMemHandle(&shared.memory, data), cudaSuccess);
  EXPECT_EQ(ints(data, 4), (std::vector<int>{1, 2, 3, 4}));  // the pages have moved
  ASSERT_EQ(cudaIpcGetEventHandle(&shared.first, first), cudaSuccess);
  ASSERT_EQ(cudaIpcGetEventHandle(&shared.second, second), cudaSuccess);
  const auto later = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, later, nullptr), cudaSuccess);
  ASSERT_EQ(add(data, 10, 4), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(first, nullptr), cudaSuccess);
  EXPECT_EQ(run("Ipc.DISABLED_TheOtherProcess", shared), 0);
  EXPECT_EQ(cudaEventSynchronize(second), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(second), cudaSuccess);
  EXPECT_EQ(ints(data, 4), (std::vector<int>{111, 112, 113, 114}));
  // In the process that made it, a handle cannot be opened.
  void* again = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&again, shared.memory, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorDeviceUninitialized);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST_F(Ipc, DISABLED_TheOtherProcess) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "is started by another test";
  const Shared shared = shared_of(text);
  void *data = nullptr, *again = nullptr;
  ASSERT_EQ(cudaIpcOpenMemHandle(&data, shared.memory, 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaIpcOpenMemHandle(&data, shared.memory, cudaIpcMemLazyEnablePeerAccess), cudaSuccess);
  ASSERT_EQ(cudaIpcOpenMemHandle(&again, shared.memory, cudaIpcMemLazyEnablePeerAccess), cudaSuccess);
  EXPECT_EQ(again, data);
  cudaEvent_t first = nullptr, second = nullptr;
  ASSERT_EQ(cudaIpcOpenEventHandle(&first, shared.first), cudaSuccess);
  ASSERT_EQ(cudaIpcOpenEventHandle(&second, shared.second), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(nullptr, first, 0), cudaSuccess);
  ASSERT_EQ(add(static_cast<int*>(data), 100, 4), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(second, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(second), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);  // it is not ours
  EXPECT_EQ(cudaIpcCloseMemHandle(data), cudaSuccess);
  EXPECT_EQ(cudaIpcCloseMemHandle(data), cudaSuccess);
  EXPECT_EQ(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
}

TEST_F(Ipc, WhatEndedWithoutReachingAnEventIsAnError) {
  const cudaEvent_t event = make_event();
  Shared shared{};
  ASSERT_EQ(cudaIpcGetEventHandle(&shared.first, event), cudaSuccess);
  EXPECT_EQ(run("Ipc.DISABLED_AProcessThatEnds", shared), 7);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_NE(cudaEventSynchronize(event), cudaSuccess);
}

TEST_F(Ipc, DISABLED_AProcessThatEnds) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "is started by another test";
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaIpcOpenEventHandle(&event, shared_of(text).first), cudaSuccess);
  const auto end = [](void*) { _exit(7); };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  (void)cudaDeviceSynchronize();
}

TEST_F(Ipc, RefusesWhatIsNoHandle) {
  void* memory = nullptr;
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&memory, {}, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenEventHandle(&event, {}), cudaErrorInvalidValue);
  cudaIpcEventHandle_t handle{};
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, event), cudaErrorInvalidValue);
  cudaIpcMemHandle_t of_memory{};
  int on_host = 0;
  EXPECT_EQ(cudaIpcGetMemHandle(&of_memory, &on_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(&on_host), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::cudart
