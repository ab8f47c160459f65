// A worker's matrix unit: runs matrix instructions for a whole warp on a frame of its registers. What it does
// not do it leaves to the reference executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "exec/jit/abi/context.h"
#include "exec/jit/abi/processor.h"
#include "exec/jit/matrix/codes.h"
#include "exec/jit/matrix/form.h"
#include "exec/launch.h"

namespace heddle::exec::jit::matrix {

// How a product is made of blocks of `rows` by 8.
struct Plan {
  Codes::Left left = nullptr;
  Codes::Right right = nullptr;
  Codes::Multiply multiply = nullptr;  // nullptr: f64, integers
  Codes::Sum sum = nullptr;            // in its place, where sums are not exact
  int least = 0;                       // exponent of the factors' type
  int rows = 16, left_blocks = 1, right_blocks = 1;
  int left_registers = 0, right_registers = 0;                         // of a block
  uint32_t left_at = 0, right_at = 0;                                  // in the frame
  uint32_t left_bytes = 0, right_bytes = 0, c_bytes = 0, d_bytes = 0;  // of a block, in the frame
  int step = 8;  // along k, of a piece of the left matrix
  Order order = Order::even_first;
  bool turned = false;  // the transposed matrices are multiplied: B is the left one
};
Plan make_plan(const Codes& codes, const Form& form);

class Unit {
 public:
  // From now on for the steps of a kernel of these forms. Where its code puts registers; nullptr: it has no
  // such steps.
  std::byte* begin(const Launch& launch, const Forms& forms, VectorLevel level);
  const Form* form_at(uint32_t site) const;
  // The instruction at a site for a whole warp. False: the reference executor has to do it, nothing has
  // happened.
  bool run(uint32_t site, const Context& context, std::byte* frame);

 private:
  struct Instruction {
    const Form* form = nullptr;
    Plan plan;
  };
  void product(const Form& form, const Plan& plan, std::byte* frame);
  void real_blocks(const Form& form, const Plan& plan, std::byte* frame);
  void integer_blocks(const Form& form, const Plan& plan, std::byte* frame);

  static constexpr std::size_t most_blocks = 2;
  struct Scratch {
    alignas(64) std::byte frame[frame_bytes];
    alignas(64) double left[16 * 128], stored[16 * 64], right[most_blocks][8 * 128];
  };
  const Codes* codes_ = nullptr;
  const Launch* launch_ = nullptr;
  std::unordered_map<uint32_t, Instruction> instructions_;
  std::vector<const Instruction*> of_site_;
  std::unique_ptr<Scratch> scratch_;  // once it is needed
};

// ---- parts (extras.cpp): what is rare is done number by number
void run_quads(const Form& form, const Codes& codes, std::byte* frame);
// Columns of what is stored of a sparse left matrix, by the metadata.
template <class T>
void spread(const Form& form, int step, const std::byte* frame, const T* stored, T* full);
void scale(const Form& form, const std::byte* frame, double* left, double* right, Order order);

// ---- memory.cpp
bool run_memory(const Form& form, const Codes& codes, const Launch& launch, const Context& context,
                std::byte* frame);

// Of element (row, k) of a left matrix in pieces of `step`.
inline std::size_t left_index(int rows, int step, int row, int k) {
  return static_cast<std::size_t>(((k / step * (rows / 8) + row / 8) * 8 + row % 8) * step + k % step);
}
inline int column_of_place(Order order, int place) {
  return order == Order::plain ? place : place < 4 ? 2 * place : 2 * place - 7;
}

template <class T>
T read_at(const std::byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void write_at(std::byte* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

}  // namespace heddle::exec::jit::matrix
