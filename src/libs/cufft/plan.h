// What a cufftHandle stands for.
#pragma once

#define HEDDLE_LIBRARY_SOURCE
#include <cufft.h>
#include <cufftXt.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "libs/cufft/callback.h"
#include "libs/fft/fft.h"

namespace heddle::cufft {

// What a program asks of a plan, whatever function it asked with.
struct Description {
  fft::Kind kind = fft::Kind::complex;
  fft::Number number = fft::Number::f32;
  std::vector<int64_t> lengths;
  int64_t batch = 1;
  // Nothing: dense arrays, rows padded where a transform is in place.
  std::optional<std::array<fft::Layout, 2>> layouts;

  // The layout of one side, of a transform in place or not.
  fft::Layout layout(bool input, bool in_place) const;
  bool is_complex(bool input) const;
  // Bytes of an element.
  int64_t element(bool input) const;
  // How many there are in each dimension.
  std::vector<int64_t> sizes(bool input) const;
  // Bytes from the first element to behind the last.
  uint64_t extent(bool input, bool in_place) const;
  uint64_t work_bytes() const;
};

class Plan {
 public:
  // Under the lock.
  bool made = false;
  Description description;
  cudaStream_t stream = nullptr;
  bool automatic = true;
  bool work_area_set = false;
  uint64_t work_bytes = 0;
  std::vector<int> devices;  // of cufftXtSetGPUs
  // A callback that is linked when the plan is made.
  struct Awaited {
    CallbackType type;
    CallbackProgram program;
    void* info = nullptr;
  };
  // What a program has set for each side of the transform.
  struct Side {
    std::shared_ptr<const Callback> callback;
    std::shared_ptr<const Awaited> awaited;
    uint32_t shared_bytes = 0;
  };
  Side input, output;
  int64_t patient = 0, host_threads = 0;

  std::mutex mutex;

  void make(Description wanted);
  // The transform, in place or not: the two have other layouts where numbers are real.
  std::shared_ptr<const fft::Plan> transform(bool in_place);
  // Bytes that the elements of one side take at most.
  uint64_t bytes(bool input) const;

 private:
  void link(Side& side);
  std::shared_ptr<const fft::Plan> out_of_place_, in_place_;
};

cufftHandle add_plan();
bool remove_plan(cufftHandle handle);
std::shared_ptr<Plan> find_plan(cufftHandle handle);  // refuses with CUFFT_INVALID_PLAN

// From arguments, which are checked. 0 or nullptr embeddings: dense.
template <class Int>
Description describe(int rank, const Int* n, const Int* inembed, int64_t istride, int64_t idist,
                     const Int* onembed, int64_t ostride, int64_t odist, cufftType type, int64_t batch);
Description describe_xt(int rank, const long long* n, const long long* inembed, int64_t istride,
                        int64_t idist, cudaDataType inputtype, const long long* onembed, int64_t ostride,
                        int64_t odist, cudaDataType outputtype, int64_t batch, cudaDataType executiontype);

// Puts the transform into the plan's stream.
void execute(const char* name, cufftHandle handle, const void* in, void* out, int direction,
             std::optional<cufftType> type);

}  // namespace heddle::cufft
