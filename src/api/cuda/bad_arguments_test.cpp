// Every implemented function of the driver API with each of its arguments bad in every way that its type
// allows.
#include "api/entry/bad_arguments.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string_view>
#include <vector>

#include "api/cuda/calls.gen.h"
#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

constexpr const char* program = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .b8 counter[16];
.visible .entry nothing() { ret; }
)";

void on_host(void*) {}
void on_stream(CUstream, CUresult, void*) {}
void on_log(void*, CUlogLevel, char*, size_t) {}
size_t no_shared_memory(int) { return 0; }

template <class T>
uint64_t as_word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint64_t>(value);
  else
    return value;
}
template <class T>
T word_as(uint64_t word) {
  return reinterpret_cast<T>(word);
}

// Objects are made when they are asked for, in one of two contexts, each on its own device.
class DriverWorld : public entry::World {
 public:
  DriverWorld() {
    EXPECT_EQ(::cuInit(0), CUDA_SUCCESS);
    // For the functions of version 1 as well, whose addresses have 32 bits.
    EXPECT_EQ(::cuCtxCreate(&other_, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(::cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
  }
  ~DriverWorld() override { renew(); }

  void renew() override {
    for (const CUstream stream : streams_) ::cuStreamDestroy_v2(stream);  // and with it a capture
    streams_.clear();
    made_.clear();
    ::cuCtxSetCurrent(context_);
  }
  uint64_t good(std::string_view type) override {
    if (type == "CUcontext") return as_word(context_);
    const auto [place, is_new] = made_.try_emplace(std::string(type), 0);
    if (is_new) place->second = make(type);
    return place->second;
  }
  uint64_t freed(std::string_view type) override {
    if (type == "CUcontext") {
      const uint64_t context = new_context();
      return ::cuCtxDestroy_v2(word_as<CUcontext>(context)) == CUDA_SUCCESS ? context : 0;
    }
    const uint64_t object = make(type);
    return object != 0 && free(type, object) ? object : 0;
  }
  uint64_t foreign(std::string_view type) override {
    if (type == "CUcontext") return new_context();
    ::cuCtxPushCurrent_v2(other_);
    const uint64_t object = make(type);
    CUcontext popped = nullptr;
    ::cuCtxPopCurrent_v2(&popped);
    return object;
  }
  uint64_t memory() override { return good("memory"); }
  uint64_t freed_memory() override { return freed("memory"); }
  uint64_t foreign_memory() override { return foreign("memory"); }
  uint64_t function() override { return good("CUfunction"); }
  uint64_t symbol() override { return memory(); }
  uint64_t callback(std::string_view type) override {
    if (type == "CUstreamCallback") return as_word(on_stream);
    if (type == "CUlogsCallback") return as_word(on_log);
    return type == "CUoccupancyB2DSize" ? as_word(no_shared_memory) : as_word(on_host);
  }

 private:
  template <class T, class Create>
  static uint64_t create(Create call) {
    T object{};
    return call(&object) == CUDA_SUCCESS ? as_word(object) : 0;
  }
  // Of the second device; the first one's stays current.
  uint64_t new_context() {
    CUcontext made = nullptr, popped = nullptr;
    EXPECT_EQ(::cuCtxCreate_v2(&made, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(::cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
    return as_word(made);
  }
  uint64_t make(std::string_view type) {
    if (type == "memory")
      return create<CUdeviceptr_v1>([](auto* memory) { return ::cuMemAlloc(memory, 4096); });
    if (type == "CUstream") {
      const uint64_t stream = create<CUstream>([](auto* object) { return ::cuStreamCreate(object, 0); });
      streams_.push_back(word_as<CUstream>(stream));
      return stream;
    }
    if (type == "CUevent") return create<CUevent>([](auto* object) { return ::cuEventCreate(object, 0); });
    if (type == "CUmodule")
      return create<CUmodule>([](auto* object) { return ::cuModuleLoadData(object, program); });
    if (type == "CUfunction")
      return create<CUfunction>([&](auto* object) {
        return ::cuModuleGetFunction(object, word_as<CUmodule>(good("CUmodule")), "nothing");
      });
    if (type == "CUlibrary")
      return create<CUlibrary>([](auto* object) {
        return ::cuLibraryLoadData(object, program, nullptr, nullptr, 0, nullptr, nullptr, 0);
      });
    if (type == "CUkernel")
      return create<CUkernel>([&](auto* object) {
        return ::cuLibraryGetKernel(object, word_as<CUlibrary>(good("CUlibrary")), "nothing");
      });
    if (type == "CUarray") {
      const CUDA_ARRAY_DESCRIPTOR shape = {16, 16, CU_AD_FORMAT_FLOAT, 1};
      return create<CUarray>([&](auto* object) { return ::cuArrayCreate_v2(object, &shape); });
    }
    if (type == "CUmipmappedArray") {
      const CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
      return create<CUmipmappedArray>(
          [&](auto* object) { return ::cuMipmappedArrayCreate(object, &shape, 2); });
    }
    if (type == "CUmemoryPool") {
      CUmemPoolProps properties{};
      properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
      properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      return create<CUmemoryPool>([&](auto* object) { return ::cuMemPoolCreate(object, &properties); });
    }
    if (type == "CUtexref") return create<CUtexref>([](auto* object) { return ::cuTexRefCreate(object); });
    if (type == "CUlinkState")
      return create<CUlinkState>([](auto* object) { return ::cuLinkCreate_v2(0, nullptr, nullptr, object); });
    if (type == "CUgraph") return create<CUgraph>([](auto* object) { return ::cuGraphCreate(object, 0); });
    return 0;
  }
  static bool free(std::string_view type, uint64_t object) {
    if (type == "memory") return ::cuMemFree_v2(object) == CUDA_SUCCESS;
    if (type == "CUstream") return ::cuStreamDestroy_v2(word_as<CUstream>(object)) == CUDA_SUCCESS;
    if (type == "CUevent") return ::cuEventDestroy_v2(word_as<CUevent>(object)) == CUDA_SUCCESS;
    if (type == "CUmodule") return ::cuModuleUnload(word_as<CUmodule>(object)) == CUDA_SUCCESS;
    if (type == "CUlibrary") return ::cuLibraryUnload(word_as<CUlibrary>(object)) == CUDA_SUCCESS;
    if (type == "CUarray") return ::cuArrayDestroy(word_as<CUarray>(object)) == CUDA_SUCCESS;
    if (type == "CUmipmappedArray")
      return ::cuMipmappedArrayDestroy(word_as<CUmipmappedArray>(object)) == CUDA_SUCCESS;
    if (type == "CUmemoryPool") return ::cuMemPoolDestroy(word_as<CUmemoryPool>(object)) == CUDA_SUCCESS;
    if (type == "CUtexref") return ::cuTexRefDestroy(word_as<CUtexref>(object)) == CUDA_SUCCESS;
    if (type == "CUlinkState") return ::cuLinkDestroy(word_as<CUlinkState>(object)) == CUDA_SUCCESS;
    if (type == "CUgraph") return ::cuGraphDestroy(word_as<CUgraph>(object)) == CUDA_SUCCESS;
    return false;
  }

  cuda::TestProcess process_{{"h200", "h200"}};
  CUcontext context_ = nullptr, other_ = nullptr;
  std::map<std::string, uint64_t> made_;
  std::vector<CUstream> streams_;
};

TEST(BadArguments, AreRefusedByTheDriver) {
  entry::Documented documented;
  // CUDA Driver API, "Returns" of each function: graphs, pools and what else was made are values.
  documented.null = documented.handle = documented.size = documented.enumeration = CUDA_ERROR_INVALID_VALUE;
  documented.device = CUDA_ERROR_INVALID_DEVICE;
  documented.types["CUcontext"] = CUDA_ERROR_INVALID_CONTEXT;
  for (const char* type : {"CUstream", "CUevent", "CUmodule", "CUfunction", "CUlibrary", "CUkernel",
                           "CUarray", "CUmipmappedArray", "CUtexref", "CUsurfref", "CUlinkState"})
    documented.types[type] = CUDA_ERROR_INVALID_HANDLE;
  const auto all = [&](int code, std::initializer_list<const char*> places) {
    for (const char* place : places) documented.places[place] = code;
  };
  all(CUDA_ERROR_OUT_OF_MEMORY,
      {"cuMemAlloc_v2: bytesize", "cuMemAllocAsync: bytesize", "cuMemAllocFromPoolAsync: bytesize",
       "cuMemAllocHost_v2: bytesize", "cuMemHostAlloc: bytesize",
       "cuMemAddressReserve: size is half of SIZE_MAX"});
  // -1 is the host: it is the memory that is not managed.
  all(CUDA_ERROR_INVALID_VALUE, {"cuMemAdvise: device", "cuMemPrefetchAsync: dstDevice is negative"});
  // Another argument, all zero, is bad as well: a description, a graph's node, a list, a grid. What an H100
  // says then is in tests/hw/h100/answers/second_bad_argument.txt: the same, or it crashes. An event of a
  // node is a value.
  all(CUDA_ERROR_INVALID_VALUE,
      {"cuGraphAddMemsetNode: ctx", "cuGraphExecMemcpyNodeSetParams: ctx",
       "cuGraphExecMemsetNodeSetParams: ctx", "cuGraphEventRecordNodeSetEvent: event",
       "cuGraphEventWaitNodeSetEvent: event", "cuGraphExecEventRecordNodeSetEvent: event",
       "cuGraphExecEventWaitNodeSetEvent: event", "cuGraphLaunch: hStream", "cuGraphUpload: hStream",
       "cuLaunchKernel: hStream", "cuMemcpyBatchAsync: hStream", "cuMemcpyBatchAsync_v2: hStream",
       "cuMemcpy3DBatchAsync: hStream", "cuMemcpy3DBatchAsync_v2: hStream",
       "cuMemPrefetchBatchAsync: hStream", "cuMemDiscardBatchAsync: hStream",
       "cuMemDiscardAndPrefetchBatchAsync: hStream"});
  // The function, 0, is looked at first, as an H100 does.
  all(CUDA_ERROR_INVALID_HANDLE, {"cuGraphAddKernelNode: hGraph", "cuGraphAddKernelNode_v2: hGraph",
                                  "cuGraphAddNode: hGraph", "cuGraphAddNode_v2: hGraph"});
  all(CUDA_ERROR_NOT_SUPPORTED, {"cuMemHostRegister_v2: bytesize is half of SIZE_MAX"});
  all(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, {"cuCtxGetExecAffinity: type"});
  all(CUDA_ERROR_INVALID_DEVICE, {"cuDeviceGetP2PAttribute: attrib"});  // the two devices are the same one
  documented.never_returned = {CUDA_ERROR_UNKNOWN};
  // tests/hw/h200/answers/bad_arguments.txt
  constexpr const char* as_hardware = "an H200 takes any number";
  const entry::Allowed allowed = {
      {"cuCtxCreate_v3: dev", "an affinity is asked for, which no device has"},
      {"cuFuncSetSharedSize: bytes", "the launch that follows refuses it"},
      {"cuParamSetSize: numbytes", "the launch that follows refuses it; 2^63 is 0 in 32 bits"},
      {"cuMemAlloc: bytesize", "in 32 bits all that can be asked for is 4 GiB, which may be there"},
      {"cuMemAllocHost: bytesize", "in 32 bits all that can be asked for is 4 GiB, which may be there"},
      {"cuMemHostRegister: bytesize", "the memory is the device's as well"},
      {"cuTexObjectDestroy: texObject", as_hardware},
      {"cuSurfObjectDestroy: surfObject", as_hardware},
      {"cuOccupancyMaxPotentialBlockSize: dynamicSMemSize", "the callback says how much it is"},
      {"cuOccupancyMaxPotentialBlockSizeWithFlags: dynamicSMemSize", "the callback says how much it is"},
      {"cuTexRefSetAddress: bytes", "the format may come later; a launch that reads it makes the texture"},
      {"cuTexRefSetAddress_v2: bytes", "the format may come later; a launch that reads it makes the texture"},
      {"cuMemPoolTrimTo: minBytesToKeep", "as much as there is may be kept"},
  };
  // These may wait for ever, and should: for a value that nobody writes.
  std::vector<entry::Call> returning;
  std::ranges::copy_if(calls, std::back_inserter(returning), [](const entry::Call& call) {
    return !std::string_view(call.name).starts_with("cuStreamWaitValue") &&
           !std::string_view(call.name).starts_with("cuStreamBatchMemOp");
  });
  DriverWorld world;
  entry::expect_refusals(returning, documented, allowed, world);
}

TEST(BeforeInit, NothingWorks) {
  const cuda::TestProcess process;
  int count = 0;
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(::cuDriverGetVersion(&count), CUDA_SUCCESS);
  EXPECT_EQ(::cuInit(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(::cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  CUcontext context = nullptr;
  EXPECT_EQ(::cuCtxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, nullptr);
  CUdeviceptr memory = 0;
  EXPECT_EQ(::cuMemAlloc_v2(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
}  // namespace heddle::cu
