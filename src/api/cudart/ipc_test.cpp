// Memory and events of one process in another: the test starts itself again, which is the other process.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
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
  cudaMemPoolPtrExportData pointer;
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
  // Runs the test that is named in a process of its own, which has a descriptor as its `pool_descriptor`; its
  // exit status.
  static constexpr int pool_descriptor = 99;
  static int run(const std::string& test, const Shared& shared, int descriptor = -1) {
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
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (descriptor >= 0) posix_spawn_file_actions_adddup2(&actions, descriptor, pool_descriptor);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
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
  static std::atomic<bool> recorded{false};
  const auto end = [](void*) {
    recorded.wait(false);
    _exit(7);
  };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  recorded = true;
  recorded.notify_all();
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

cudaMemPool_t make_pool(cudaMemAllocationHandleType types) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = types;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  return pool;
}
void* as_handle_of(int descriptor) { return reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)); }

TEST_F(Ipc, AnotherProcessHasTheMemoryOfAPool) {
  const cudaMemPool_t pool = make_pool(cudaMemHandleTypePosixFileDescriptor);
  int descriptor = -1;
  ASSERT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0),
            cudaSuccess);
  void *other = nullptr, *data = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&other, 256, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&data, 256, pool, nullptr), cudaSuccess);
  const std::vector<int> numbers = {1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpy(data, numbers.data(), 16, cudaMemcpyDefault), cudaSuccess);
  Shared shared{};
  ASSERT_EQ(cudaMemPoolExportPointer(&shared.pointer, data), cudaSuccess);
  EXPECT_EQ(run("Ipc.DISABLED_TheOtherProcessOfThePool", shared, descriptor), 0);
  EXPECT_EQ(ints(static_cast<int*>(data), 4), (std::vector<int>{101, 102, 103, 104}));
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolExportPointer(&shared.pointer, data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  close(descriptor);
}

// What an H200 (driver of CUDA 13) does: the memory has a second address, as often as it is asked for.
TEST_F(Ipc, ThePoolsOwnProcessMayImportItsMemoryToo) {
  const cudaMemPool_t pool = make_pool(cudaMemHandleTypePosixFileDescriptor);
  void *data = nullptr, *again = nullptr, *once_more = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&data, 4096, pool, nullptr), cudaSuccess);
  int descriptor = -1;
  ASSERT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0),
            cudaSuccess);
  cudaMemPool_t imported = nullptr;
  ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&imported, as_handle_of(descriptor),
                                                 cudaMemHandleTypePosixFileDescriptor, 0),
            cudaSuccess);
  cudaMemPoolPtrExportData pointer{};
  ASSERT_EQ(cudaMemPoolExportPointer(&pointer, data), cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportPointer(&again, imported, &pointer), cudaSuccess);
  EXPECT_NE(again, data);
  EXPECT_EQ(cudaMemPoolImportPointer(&once_more, imported, &pointer), cudaSuccess);
  EXPECT_EQ(once_more, again);
  ASSERT_EQ(cudaMemset(data, 7, 4096), cudaSuccess);
  EXPECT_EQ(ints(static_cast<int*>(again), 1), std::vector<int>{0x07070707});
  EXPECT_EQ(cudaFreeAsync(again, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(ints(static_cast<int*>(data), 1), std::vector<int>{0x07070707});
  EXPECT_EQ(cudaFreeAsync(once_more, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(imported), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  close(descriptor);
}

TEST_F(Ipc, DISABLED_TheOtherProcessOfThePool) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) GTEST_SKIP() << "is started by another test";
  Shared shared = shared_of(text);
  cudaMemPool_t pool = nullptr, same = nullptr;
  ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&pool, as_handle_of(pool_descriptor),
                                                 cudaMemHandleTypePosixFileDescriptor, 0),
            cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&same, as_handle_of(pool_descriptor),
                                                 cudaMemHandleTypePosixFileDescriptor, 0),
            cudaSuccess);
  void *data = nullptr, *again = nullptr;
  ASSERT_EQ(cudaMemPoolImportPointer(&data, pool, &shared.pointer), cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportPointer(&again, same, &shared.pointer), cudaSuccess);
  EXPECT_EQ(ints(static_cast<int*>(data), 4), (std::vector<int>{1, 2, 3, 4}));
  ASSERT_EQ(add(static_cast<int*>(data), 100, 4), cudaSuccess);
  // Memory of a pool is not for the other way, and no pool of this process has it.
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, &shared.pointer, sizeof handle);
  void* wrong = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&wrong, handle, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
  const cudaMemPool_t own = make_pool(cudaMemHandleTypePosixFileDescriptor);
  EXPECT_EQ(cudaMemPoolImportPointer(&wrong, own, &shared.pointer), cudaErrorInvalidValue);
  // From an imported pool nothing is allocated, and it is exported by its own process only.
  EXPECT_EQ(cudaMallocFromPoolAsync(&wrong, 64, pool, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
  int descriptor = -1;
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0),
            cudaErrorInvalidValue);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(again, stream), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Ipc, PoolsAreSharedInTheWayThatTheyWereMadeFor) {
  int descriptor = -1;
  const cudaMemPool_t pool = make_pool(cudaMemHandleTypeNone);
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0),
            cudaErrorInvalidValue);
  void* data = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&data, 64, pool, nullptr), cudaSuccess);
  cudaMemPoolPtrExportData pointer{};
  EXPECT_EQ(cudaMemPoolExportPointer(&pointer, data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolImportPointer(&data, pool, &pointer), cudaErrorInvalidValue);
  const cudaMemPool_t shared = make_pool(cudaMemHandleTypePosixFileDescriptor);
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, shared, cudaMemHandleTypeWin32, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, shared, cudaMemHandleTypePosixFileDescriptor, 1),
            cudaErrorInvalidValue);
  cudaMemPool_t imported = nullptr;
  EXPECT_EQ(cudaMemPoolImportFromShareableHandle(&imported, as_handle_of(-1),
                                                 cudaMemHandleTypePosixFileDescriptor, 0),
            cudaErrorInvalidValue);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeWin32;
  properties.location = {cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemPoolCreate(&imported, &properties), cudaErrorNotSupported);
  properties.handleTypes = static_cast<cudaMemAllocationHandleType>(0x100);
  EXPECT_EQ(cudaMemPoolCreate(&imported, &properties), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::cudart
