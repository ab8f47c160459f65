// Whether two lanes of a warp may meet at an address: what is known of it as a sum.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "exec/fault.h"
#include "exec/jit/ir/ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

// constant + lane * %laneid + fixed + varying. Fixed parts are the same for all lanes of the warp whenever
// they are computed; of varying ones nothing is known but what they are multiplied by.
struct LaneAddress {
  using Parts = std::map<const llvm::Value*, int64_t>;
  int64_t constant = 0, lane = 0;
  Parts fixed;
  uint64_t varying = 0;  // all their factors, or'ed: what divides this power of two divides them
  bool operator==(const LaneAddress&) const = default;
};

class LaneAddresses {
 public:
  explicit LaneAddresses(const Dim3& block);

  LaneAddress of(const llvm::Value* address);
  // The same for all lanes that compute it together: no lane's own number, nothing from memory.
  bool is_uniform(const llvm::Value* value);

 private:
  struct Sum {
    LaneAddress::Parts fixed;
    int64_t constant = 0, lane = 0, place[3] = {};
    uint64_t varying = 0;
    unsigned left = 0;  // so many values are looked at yet
  };
  void add(Sum& sum, const llvm::Value* value, int64_t factor);
  void add_number_in_warp(Sum& sum, const llvm::Value* value, int64_t factor);
  bool is_fixed(const llvm::Value* value, unsigned depth = 0);
  const llvm::Value* same(const llvm::CallInst& call, Op op);

  uint64_t row_, plane_, rows_, planes_;
  bool rows_are_whole_;  // all lanes of a warp lie in one row of the block
  std::map<std::pair<Op, uint64_t>, const llvm::Value*> first_;
  llvm::DenseMap<const llvm::Value*, bool> fixed_;
  llvm::DenseSet<const llvm::Value*> uniform_, not_uniform_;
};

// So many bytes at `a` and at `b` never have one in common that are of different lanes of one warp.
bool are_lanes_own(const LaneAddress& a, uint64_t a_bytes, const LaneAddress& b, uint64_t b_bytes);

}  // namespace heddle::exec::jit
