// bin/bandwidthTest: how fast copies are, in the words of the CUDA samples' program, which scripts read.
// Times are what events tell: of the host's clock, or of the device's (HEDDLE_CLOCK=device).
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "checker/attach.h"
#include "clock/attach.h"
#include "profiler/attach.h"
#include "programs/bandwidth_test/options.h"

namespace heddle::bandwidth_test {

namespace {

constexpr int copies = 100;  // of each size
// What is written between copies of pageable memory, which so does not lie in the host's caches.
constexpr std::size_t flushed_bytes = std::size_t{64} << 20;

constexpr std::string_view help = R"(bandwidthTest [OPTION]...

How fast copies between host and device are, and within a device.

  --help                            this help
  --csv                             a line for each size, for scripts
  --device=NUMBER|all               the device (0); all: of all together
  --memory=pinned|pageable          the host's memory (pinned)
  --mode=quick|range|shmoo          one size (quick); sizes from --start to --end; from 1 KB to 68 MB
  --htod, --dtoh, --dtod            only these directions
  --wc                              write-combined memory
  --cputiming                       the host's clock, not events
  --start=BYTES, --end=BYTES, --increment=BYTES
                                    of --mode=range

Events tell the host's time, or that which the copies would take on the device: HEDDLE_CLOCK=device.
)";

// The first call that failed ends the measurement.
struct Failure {
  const char* call;
  cudaError_t error;
};
void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw Failure{call, error};
}

struct FreeDevice {
  void operator()(unsigned char* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<unsigned char, FreeDevice>;
DeviceMemory on_device(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(static_cast<unsigned char*>(memory));
}

struct FreeHost {
  bool pinned = false;
  void operator()(unsigned char* memory) const {
    if (pinned)
      cudaFreeHost(memory);
    else
      std::free(memory);  // NOLINT
  }
};
using HostMemory = std::unique_ptr<unsigned char, FreeHost>;
HostMemory on_host(const Options& options, std::size_t bytes) {
  void* memory = nullptr;
  if (options.pageable) {
    memory = std::malloc(bytes);  // NOLINT
    check(memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess, "malloc");
  } else {
    check(cudaHostAlloc(&memory, bytes, options.write_combined ? cudaHostAllocWriteCombined : 0),
          "cudaHostAlloc");
  }
  return {static_cast<unsigned char*>(memory), FreeHost{!options.pageable}};
}

class Watch {
 public:
  explicit Watch(bool of_host) : of_host_(of_host) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  void start() {
    began_ = std::chrono::steady_clock::now();
    check(cudaEventRecord(begin_, nullptr), "cudaEventRecord");
  }
  void stop() {
    check(cudaEventRecord(end_, nullptr), "cudaEventRecord");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    seconds_ += of_host_ ? passed.count() : milliseconds / 1e3;
  }
  double seconds() const { return seconds_; }

 private:
  bool of_host_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::chrono::steady_clock::time_point began_;
  double seconds_ = 0;
};

// Gigabytes a second.
double measure(const Options& options, Direction direction, std::size_t bytes) {
  const bool within = direction == Direction::device_to_device;
  const HostMemory host = on_host(options, bytes);
  for (std::size_t i = 0; i < bytes; ++i) host.get()[i] = static_cast<unsigned char>(i);
  const DeviceMemory from = on_device(bytes), to = within ? on_device(bytes) : nullptr;
  check(cudaMemcpy(from.get(), host.get(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  const auto copy = [&] {
    switch (direction) {
      case Direction::host_to_device:
        return cudaMemcpyAsync(from.get(), host.get(), bytes, cudaMemcpyHostToDevice, nullptr);
      case Direction::device_to_host:
        return cudaMemcpyAsync(host.get(), from.get(), bytes, cudaMemcpyDeviceToHost, nullptr);
      case Direction::device_to_device:
        return cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, nullptr);
    }
    return cudaErrorInvalidValue;
  };
  Watch watch(options.cpu_timing);
  if (options.pageable && !within) {
    const std::unique_ptr<char[]> flushed(new char[flushed_bytes]);  // NOLINT
    for (int i = 0; i < copies; ++i) {
      watch.start();
      check(copy(), "cudaMemcpyAsync");
      watch.stop();
      std::memset(flushed.get(), i, flushed_bytes);
    }
  } else {
    watch.start();
    for (int i = 0; i < copies; ++i) check(copy(), "cudaMemcpyAsync");
    watch.stop();
  }
  // Within a device each byte is read and written.
  const double moved = static_cast<double>(bytes) * copies * (within ? 2 : 1);
  return watch.seconds() > 0 ? moved / 1e9 / watch.seconds() : 0;
}

// The devices to measure, after their names were printed.
Result<std::pair<int, int>> devices(const Options& options) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0)
    return Error{"cudaGetDeviceCount returned " + std::to_string(static_cast<int>(error)) + "\n-> " +
                 cudaGetErrorString(error)};
  int first = 0, last = 0;
  if (options.device == "all") {
    std::puts("\n!!!!!Cumulative Bandwidth to be computed from all the devices !!!!!!\n");
    last = count - 1;
  } else {
    first = last = std::atoi(options.device.c_str());
    if (first < 0 || first >= count) {
      std::printf("\n!!!!!Invalid GPU number %d given hence default gpu %d will be used !!!!!\n", first, 0);
      first = last = 0;
    }
  }
  std::puts("Running on...\n");
  for (int i = first; i <= last; ++i) {
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, i); error != cudaSuccess)
      return Error{"cudaGetDeviceProperties returned " + std::to_string(static_cast<int>(error)) + "\n-> " +
                   cudaGetErrorString(error)};
    std::printf(" Device %d: %s\n", i, properties.name);
    if (properties.computeMode == cudaComputeModeProhibited)
      return Error{
          "Error: device is running in <Compute Mode Prohibited>, no threads can use ::cudaSetDevice()."};
  }
  return std::pair(first, last);
}

void measure_all(const Options& options, int first, int last) {
  const std::vector<uint32_t> bytes = sizes(options);
  const auto count = static_cast<unsigned>(last - first + 1);
  for (const Direction direction : options.directions) {
    std::vector<double> speeds(bytes.size());
    for (int device = first; device <= last; ++device) {
      check(cudaSetDevice(device), "cudaSetDevice");
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        speeds[i] += measure(options, direction, bytes[i]);
        if (options.mode == Mode::shmoo) std::putchar('.');
      }
    }
    if (options.mode == Mode::shmoo) std::putchar('\n');
    const std::string text = options.csv ? lines(options, direction, bytes, speeds, count)
                                         : table(options, direction, bytes, speeds, count);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
}

int finish(bool passed) {
  std::printf("Result = %s\n", passed ? "PASS" : "FAIL");
  std::puts(
      "\nNOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost "
      "is "
      "enabled.");
  return passed && std::fflush(stdout) == 0 ? 0 : 1;
}

int run(std::span<char* const> words) {
  const auto options = read(words);
  if (options && options->help) {
    std::fwrite(help.data(), 1, help.size(), stdout);
    return 0;
  }
  // What watches programs that load the runtime, whose entries do this otherwise.
  checker::attach();
  clock::attach();
  profiler::attach();
  std::puts("[CUDA Bandwidth Test] - Starting...");
  if (!options) {
    std::printf("%s\nSee --help for more information\n", options.error().message.c_str());
    return finish(false);
  }
  const auto range = devices(*options);
  if (!range) {
    std::puts(range.error().message.c_str());
    return finish(false);
  }
  std::puts(options->mode == Mode::quick   ? " Quick Mode\n"
            : options->mode == Mode::range ? " Range Mode\n"
                                           : " Shmoo Mode\n");
  try {
    measure_all(*options, range->first, range->second);
  } catch (const Failure& failure) {
    std::printf("%s returned %d\n-> %s\n", failure.call, static_cast<int>(failure.error),
                cudaGetErrorString(failure.error));
    return finish(false);
  }
  return finish(true);
}

}  // namespace

}  // namespace heddle::bandwidth_test

extern "C" [[gnu::visibility("default")]] int heddle_main_bandwidthTest(int argc, char** argv) {  // NOLINT
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  return heddle::bandwidth_test::run(words.subspan(words.empty() ? 0 : 1));
}
