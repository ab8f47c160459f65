// How a value varies over the threads of a unit (a group of fast code, a warp of slow code): what decides
// between one scalar, one scalar a vector, and whole vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exec/jit/analysis/flow.h"
#include "exec/jit/analysis/geometry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

struct Pattern {
  enum Kind : uint8_t {
    unknown,     // not yet reached by the analysis
    affine,      // base + lane_step * lane + vector_step * vector, modulo 2^width; uniform when both are 0
    per_vector,  // a base of its own for each vector, + lane_step * lane
    // A row and flips of its own for each vector: row + lane_step * (lane ^ flips). vector_step is not 0
    // where the unit's rows are its rows without flips in another order: none overlaps another.
    xored,
    vector,  // anything
  };
  Kind kind = unknown;
  int64_t lane_step = 0, vector_step = 0;
  // Known trailing zero bits: of the base or bases; of every lane for `vector`.
  uint8_t zeros = 0;
  // A thread's value and that of the thread one row of the block behind it (PatternContext::row) differ by
  // row_step, in the whole unit.
  bool rows = false;
  int64_t row_step = 0;

  bool uniform() const { return kind == affine && lane_step == 0 && vector_step == 0; }
  bool lane_uniform() const { return (kind == affine || kind == per_vector) && lane_step == 0; }
  bool stepped() const { return kind == affine || kind == per_vector; }
  bool operator==(const Pattern&) const = default;
  std::string text() const;  // "uniform", "aff(1,16)", "vec(4)", "xor(4)", "vary", with "/8" for 8 zero bits

  static Pattern of_uniform(unsigned zeros = 0);
  static Pattern of_vector(unsigned zeros = 0);
};
Pattern join(const Pattern& a, const Pattern& b);
unsigned lane_zeros(const Pattern& p);  // trailing zeros that every lane has

// What is known about values that cross barriers, and about the launch.
struct PatternContext {
  const Geometry* geometry = nullptr;
  unsigned vectors = 2;  // of a unit
  const std::vector<Pattern>* slots = nullptr;
  const std::vector<uint8_t>* word_alignment = nullptr;
  // Extensions that would wrap for some lane are tested at run time, so they may count as affine.
  bool assume_no_wrap = false;
  // Threads of a row, when the unit has several whole ones; 0: rows are of no interest.
  unsigned row = 0;
  // The extensions that may be tested for rows; nullptr: all.
  const llvm::DenseSet<const llvm::Instruction*>* row_extensions = nullptr;
  // The exclusive ors whose rows are tested at run time to begin where rows do, unless they are known to:
  // none, or these; nullptr: all.
  bool tests_rows = false;
  const llvm::DenseSet<const llvm::Instruction*>* tested_rows = nullptr;
};
// The block's rows, where `vectors` of it are whole ones (and at least two) in one plane; else 0.
unsigned row_of(const Geometry& geometry, unsigned vectors);

class Patterns {
 public:
  Patterns(Flow& flow, const PatternContext& context);

  Pattern of(const llvm::Value* value) const;
  // An extension (zext, sext) of an affine value that is affine only as long as no lane wraps; an exclusive
  // or of a row that has to begin at a multiple of its length.
  bool is_guarded(const llvm::Instruction* extension) const { return guarded_.contains(extension); }
  const llvm::DenseSet<const llvm::Instruction*>& guarded() const { return guarded_; }
  // An extension whose lanes need not be affine, but behave from row to row as long as none wraps.
  bool is_row_guarded(const llvm::Instruction* extension) const { return row_guarded_.contains(extension); }
  const llvm::DenseSet<const llvm::Instruction*>& row_guarded() const { return row_guarded_; }
  unsigned row() const { return context_.row; }
  unsigned row_count() const { return context_.row == 0 ? 0 : vectors() * lanes() / context_.row; }
  int64_t lowest(const Pattern& p) const;  // of the lanes' offsets from the base; limited where not is_known
  int64_t highest(const Pattern& p) const;
  bool is_known(const Pattern& p) const;  // the offsets are numbers that sums with others do not overflow
  // So far apart are any two lanes of a vector at least, as numbers, whatever wraps; 0: nothing is known.
  uint64_t distance(const llvm::Value* value) const;
  // Where a row of lanes so far apart, a power of 2, begins, that many bits must be zero; as many are the
  // lanes'.
  unsigned row_zeros(int64_t lane_step) const;
  unsigned vectors() const { return context_.vectors; }
  unsigned lanes() const { return context_.geometry->lanes; }
  bool single_unit() const;  // the unit is the whole block

 private:
  void solve();
  void find_row_guards();
  Pattern transfer(const llvm::Instruction& instruction);
  Pattern of_lanes(const llvm::Instruction& instruction);
  Pattern with_rows(const llvm::Instruction& instruction, Pattern p) const;
  Pattern with_affine_rows(Pattern p) const;
  std::optional<int64_t> row_step_of(const llvm::Instruction& instruction) const;
  Pattern phi(const llvm::PHINode& phi) const;
  Pattern operation(const llvm::CallInst& call);
  Pattern sum(const llvm::Instruction& i, const Pattern& a, const Pattern& b, int sign) const;
  Pattern scaled(const llvm::Instruction& i, const Pattern& a, int64_t factor, unsigned zeros) const;
  std::optional<uint64_t> most(const llvm::Value& value, unsigned depth) const;
  bool fits_signed(const llvm::Value& value) const;
  Pattern extension(const llvm::Instruction& i);
  Pattern low_bits(const llvm::Instruction& i, const Pattern& a, unsigned bits) const;
  std::optional<Pattern> whole_bits(const Pattern& a, uint64_t mask, unsigned width) const;
  Pattern exclusive_or(const llvm::Instruction& i) const;
  std::optional<Pattern> of_xored(const llvm::Instruction& i) const;
  bool begins_anywhere(const Pattern& row) const;
  bool may_test_row(const llvm::Instruction& i, const Pattern& row) const;
  Pattern shifted_right(const llvm::Instruction& i, const Pattern& a, unsigned amount) const;
  Pattern pointwise(const llvm::Instruction& i) const;
  Pattern fit(Pattern p, const llvm::Type* type) const;
  Pattern thread_index(unsigned dimension) const;
  unsigned used_lanes() const;
  unsigned used_vectors() const;
  bool is_of_whole_units(const llvm::ICmpInst& compare) const;
  // Adding the lanes' offsets to the base may carry out of its zeros, or out of its `width` bits.
  bool carries(const Pattern& a, unsigned width) const;
  bool fits(const Pattern& p, unsigned width) const;  // some base has all lanes within a type of `width` bits

  Flow& flow_;
  PatternContext context_;
  llvm::DenseMap<const llvm::Value*, Pattern> patterns_;
  llvm::DenseSet<const llvm::Instruction*> guarded_, row_guarded_;
};

// Whether the block ends with a branch by two numbers that go by steps over the lanes: then all lanes of most
// vectors go one way, as in loops that a grid or a block goes through in strides.
bool branches_by_steps(const llvm::BasicBlock& block, const Patterns& patterns);

}  // namespace heddle::exec::jit
