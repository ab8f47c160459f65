// Every second, fourth or eighth element of a row, as trees of reductions and scans go through shared memory,
// and as members of structures lie: the row is loaded whole, and the lanes' elements are picked in registers.
// To store them, what lies between is loaded and stored again. Whole vectors, and none under a mask: a load
// gets what was just stored from the store itself only if one store has all of it.
#include <algorithm>

#include "exec/jit/vectorize/access/memory.h"
#include "exec/jit/vectorize/access/transpose.h"

namespace heddle::exec::jit {

using llvm::Value;

struct Access::Comb {
  Value* row;               // pointer to the first group
  unsigned group, place;    // elements of one, and which of them is the lane's
  unsigned lanes, vectors;  // whose groups are in one vector of the machine, and how many of them the row is
  llvm::FixedVectorType* type;  // of such a vector
};

// Groups begin at multiples of their size, wherever the array does.
Access::Comb Access::comb(unsigned j) const {
  const auto step = static_cast<unsigned>(address_.pattern.lane_step);
  Comb comb;
  comb.row =
      b_.CreateGEP(b_.getInt8Ty(), host(lanes_.base(address_, j)), b_.getInt64(-uint64_t{record_.in_group}));
  comb.group = step / element_bytes_, comb.place = record_.in_group / element_bytes_;
  const unsigned bytes = 4 * most_lanes(weaver_.level);
  comb.lanes = bytes / step, comb.vectors = lanes_.lanes() / comb.lanes;
  comb.type = llvm::FixedVectorType::get(element_, bytes / element_bytes_);
  return comb;
}

// Vector `v` of the machine.
Value* Access::part(const Comb& comb, unsigned v) const {
  return b_.CreateConstGEP1_64(comb.type, comb.row, v);
}

AccessLanes Access::lanes_of(const Comb& comb, unsigned j, unsigned v) const {
  return AccessLanes::of_comb(j * lanes_.lanes() + v * comb.lanes, lanes_.lanes(),
                              comb.group * element_bytes_, record_.in_group);
}

Value* Access::load_combed_row(unsigned j) const {
  const Comb comb = this->comb(j);
  llvm::SmallVector<Value*, 8> row;
  for (unsigned v = 0; v < comb.vectors; ++v)
    row.push_back(load(comb.type, part(comb, v), lanes_of(comb, j, v)));
  if (comb.vectors == 1) row.push_back(llvm::PoisonValue::get(comb.type));
  // An instruction picks from two.
  llvm::SmallVector<int, 16> picked;
  for (unsigned lane = 0; lane < comb.lanes * std::min(comb.vectors, 2U); ++lane)
    picked.push_back(static_cast<int>(lane * comb.group + comb.place));
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned v = 0; v < comb.vectors; v += 2)
    parts.push_back(b_.CreateShuffleVector(row[v], row[v + 1], picked));
  return concatenate(b_, parts);
}

void Access::store_combed_row(unsigned j, Value* value) const {
  const Comb comb = this->comb(j);
  const unsigned elements = comb.type->getNumElements();
  for (unsigned v = 0; v < comb.vectors; ++v) {
    llvm::SmallVector<int, 16> of_lanes, taken;
    for (unsigned e = 0; e < elements; ++e) {
      of_lanes.push_back(static_cast<int>(v * comb.lanes + e / comb.group));
      taken.push_back(static_cast<int>(e % comb.group == comb.place ? e : elements + e));
    }
    Value* place = part(comb, v);
    const AccessLanes lanes = lanes_of(comb, j, v);
    Value* between = load(comb.type, place, lanes);
    store(b_.CreateShuffleVector(b_.CreateShuffleVector(value, of_lanes), between, taken), place, lanes);
  }
}

}  // namespace heddle::exec::jit
