// What a curandGenerator_t stands for.
#pragma once

#define HEDDLE_LIBRARY_SOURCE
#include <curand.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "libs/common/call.h"
#include "libs/common/handles.h"
#include "libs/common/stream.h"
#include "libs/curand/sequence.h"

namespace heddle::curand {

// Numbers are drawn when the stream gets there; a new seed does not reach what was asked for before.
struct Source {
  std::mutex mutex;
  std::unique_ptr<Sequence> sequence;  // made when first drawn from
};

struct Generator {
  Kind kind = Kind::xorwow;
  bool host = false;
  std::mutex mutex;
  cudaStream_t stream = nullptr;
  Order order = Order::best;
  Threads threads;  // of dynamic order
  uint64_t seed = 0, offset = 0;
  unsigned dimensions = 1;
  std::shared_ptr<Source> source = std::make_shared<Source>();
};
std::shared_ptr<Generator> find(curandGenerator_t handle);

template <class T, class Draw>
void generate(const char* name, curandGenerator_t handle, T* out, uint64_t count, const Draw& draw) {
  const auto generator = find(handle);
  if (count == 0) return;
  if (out == nullptr) libs::refuse_null("outputPtr");
  const std::lock_guard lock(generator->mutex);
  if (count % generator->dimensions != 0)
    libs::refuse_code(CURAND_STATUS_LENGTH_NOT_MULTIPLE,
                      "the count of numbers is no multiple of the dimensions");
  const auto run = [source = generator->source, kind = generator->kind, order = generator->order,
                    threads = generator->threads, seed = generator->seed, offset = generator->offset,
                    dimensions = generator->dimensions, draw, count](T* to) {
    const std::lock_guard drawing(source->mutex);
    if (source->sequence == nullptr) source->sequence = make_sequence(kind, order, seed, offset, threads);
    source->sequence->set_dimensions(dimensions);
    draw(*source->sequence, to, count);
  };
  if (generator->host) return run(out);
  libs::Target(generator->stream).submit(name, [run, out, count](libs::Access& access) {
    run(access.write(out, count));
  });
}

}  // namespace heddle::curand
