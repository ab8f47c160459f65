#include "exec/jit/analysis/pattern.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "exec/jit/ir/ops.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::exec::jit {

namespace {

constexpr unsigned all_zero = 63;  // zeros of the number 0

unsigned zeros_of(int64_t value) {
  return value == 0 ? all_zero : static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(value)));
}

unsigned width_of(const llvm::Type* type) { return type->isIntegerTy() ? type->getIntegerBitWidth() : 0; }

// Offsets at least so far from 0 are not told apart: no sum of two of them overflows.
constexpr int64_t farthest = int64_t{1} << 61;

int64_t times(int64_t step, int64_t count) {
  int64_t product = 0;
  if (__builtin_mul_overflow(step, count, &product)) return (step < 0) == (count < 0) ? farthest : -farthest;
  return std::clamp(product, -farthest, farthest);
}

// Modulo 2^64, as the values themselves.
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// The bits of an extension's operand that lanes may fill without changing what is put above them.
unsigned free_bits(const llvm::Instruction& extension) {
  return width_of(extension.getOperand(0)->getType()) - (llvm::isa<llvm::SExtInst>(extension) ? 1 : 0);
}

}  // namespace

unsigned lane_zeros(const Pattern& p) {
  if (p.kind == Pattern::vector) return p.zeros;
  return std::min<unsigned>({p.zeros, zeros_of(p.lane_step), zeros_of(p.vector_step)});
}

Pattern Pattern::of_uniform(unsigned zeros) { return {affine, 0, 0, static_cast<uint8_t>(zeros)}; }
Pattern Pattern::of_vector(unsigned zeros) { return {vector, 0, 0, static_cast<uint8_t>(zeros)}; }

std::string Pattern::text() const {
  const std::string aligned =
      zeros != 0 && zeros < all_zero ? "/" + std::to_string(uint64_t{1} << zeros) : "";
  const std::string by_row = rows ? ", a row " + std::to_string(row_step) : "";
  switch (kind) {
    case unknown: return "unknown";
    case vector: return "vary" + aligned + by_row;
    case per_vector: return "vec(" + std::to_string(lane_step) + ")" + aligned + by_row;
    case xored: return "xor(" + std::to_string(lane_step) + ")" + aligned + by_row;
    case affine:
      if (uniform()) return "uniform" + aligned;
      return "aff(" + std::to_string(lane_step) + "," + std::to_string(vector_step) + ")" + aligned;
  }
  return "?";
}

namespace {

Pattern join_lanes(const Pattern& a, const Pattern& b) {
  const unsigned zeros = std::min(a.zeros, b.zeros);
  if (a.kind == Pattern::vector || b.kind == Pattern::vector || a.lane_step != b.lane_step)
    return Pattern::of_vector(std::min(lane_zeros(a), lane_zeros(b)));
  if (a.kind == Pattern::affine && b.kind == Pattern::affine && a.vector_step == b.vector_step)
    return {Pattern::affine, a.lane_step, a.vector_step, static_cast<uint8_t>(zeros)};
  const unsigned stepped = std::min(zeros, std::min(zeros_of(a.vector_step), zeros_of(b.vector_step)));
  const bool xored = a.kind == Pattern::xored || b.kind == Pattern::xored;  // a row has no flips
  const int64_t apart = a.kind == b.kind && a.vector_step == b.vector_step ? a.vector_step : 0;
  return {xored ? Pattern::xored : Pattern::per_vector, a.lane_step, xored ? apart : 0,
          static_cast<uint8_t>(stepped)};
}

}  // namespace

Pattern join(const Pattern& a, const Pattern& b) {
  if (a.kind == Pattern::unknown) return b;
  if (b.kind == Pattern::unknown) return a;
  Pattern p = join_lanes(a, b);
  p.rows = a.rows && b.rows && a.row_step == b.row_step;
  p.row_step = p.rows ? a.row_step : 0;
  return p;
}

Patterns::Patterns(Flow& flow, const PatternContext& context) : flow_(flow), context_(context) {
  for (;;) {
    flow_.find_components();
    solve();
    bool grew = false;
    for (llvm::BasicBlock* block : flow_.order())
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator()))
        if (branch->isConditional() && of(branch->getCondition()).kind != Pattern::unknown &&
            !of(branch->getCondition()).uniform())
          grew |= flow_.mark_divergent(block);
    if (!grew) break;
  }
  if (context_.row != 0) find_row_guards();
}

void Patterns::solve() {
  patterns_.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : flow_.order())
      for (llvm::Instruction& instruction : *block) {
        if (instruction.getType()->isVoidTy()) continue;
        Pattern& known = patterns_[&instruction];
        const Pattern before = known;
        const Pattern after = join(before, transfer(instruction));
        if (after == before) continue;
        patterns_[&instruction] = after;
        changed = true;
      }
  }
  guarded_.clear();
  for (llvm::BasicBlock* block : flow_.order())
    for (llvm::Instruction& instruction : *block) {
      const Pattern& to = patterns_[&instruction];
      if (instruction.getOpcode() == llvm::Instruction::Xor && context_.tests_rows &&
          to.kind != Pattern::vector)
        for (const llvm::Value* operand : instruction.operands())
          if (may_test_row(instruction, of(operand))) guarded_.insert(&instruction);
      if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction)) continue;
      const Pattern from = of(instruction.getOperand(0));
      const bool steps = from.stepped() ? to.stepped() : from.kind == Pattern::xored && to.kind == from.kind;
      if (steps && from.lane_step != 0 && to.lane_step == from.lane_step &&
          carries(from, free_bits(instruction)))
        guarded_.insert(&instruction);
      else if (from.kind == Pattern::affine && from.lane_step == 0 && from.vector_step != 0 &&
               to.kind == Pattern::affine && carries(from, free_bits(instruction)))
        guarded_.insert(&instruction);
    }
}

Pattern Patterns::of(const llvm::Value* value) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
    return with_affine_rows(Pattern::of_uniform(
        number->isZero() ? all_zero : std::min(number->getValue().countr_zero(), all_zero)));
  if (llvm::isa<llvm::Constant>(value)) return with_affine_rows(Pattern::of_uniform());
  return patterns_.lookup(value);
}

// Lanes without a thread take part in nothing.
unsigned Patterns::used_lanes() const { return std::min(lanes(), context_.geometry->threads()); }
unsigned Patterns::used_vectors() const {
  return std::min(vectors(), (context_.geometry->threads() + lanes() - 1) / lanes());
}

int64_t Patterns::lowest(const Pattern& p) const {
  const int64_t last_lane = p.kind == Pattern::xored ? lanes() - 1 : used_lanes() - 1;
  const int64_t last_vector = p.kind == Pattern::affine ? int64_t{used_vectors()} - 1 : 0;
  return std::min<int64_t>(0, times(p.lane_step, last_lane)) +
         std::min<int64_t>(0, times(p.vector_step, last_vector));
}
int64_t Patterns::highest(const Pattern& p) const {
  const int64_t last_lane = p.kind == Pattern::xored ? lanes() - 1 : used_lanes() - 1;
  const int64_t last_vector = p.kind == Pattern::affine ? int64_t{used_vectors()} - 1 : 0;
  return std::max<int64_t>(0, times(p.lane_step, last_lane)) +
         std::max<int64_t>(0, times(p.vector_step, last_vector));
}

bool Patterns::is_known(const Pattern& p) const { return lowest(p) > -farthest && highest(p) < farthest; }

// Offsets of 2^32 and more come round to where others are.
bool Patterns::fits(const Pattern& p, unsigned width) const {
  return is_known(p) && (width >= 63 || highest(p) - lowest(p) < int64_t{1} << width);
}

bool Patterns::carries(const Pattern& a, unsigned width) const {
  const unsigned zeros = std::min<unsigned>(a.zeros, width);  // the number 0 has as many as its type has bits
  return lowest(a) < 0 || highest(a) >= (zeros < 61 ? int64_t{1} << zeros : farthest);
}

uint64_t Patterns::distance(const llvm::Value* value) const {
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (i == nullptr || !i->getType()->isIntegerTy()) return 0;
  const auto constant = [&](unsigned operand) -> uint64_t {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(operand));
    return number == nullptr ? 0 : number->getLimitedValue();
  };
  const uint64_t most = uint64_t{1} << 31;
  switch (i->getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      // Around the end of 2^width they are as far from each other as the step says, or farther.
      const Pattern from = of(i->getOperand(0));
      const auto step = static_cast<uint64_t>(std::abs(from.lane_step));
      const unsigned width = width_of(i->getOperand(0)->getType());
      return from.stepped() && width >= 32 && step <= most / lanes() ? step : 0;
    }
    case llvm::Instruction::Shl: {
      const uint64_t apart = distance(i->getOperand(0)), amount = constant(1);
      return amount < 31 && apart <= most >> amount ? apart << amount : 0;
    }
    case llvm::Instruction::Mul: {
      const uint64_t apart = distance(i->getOperand(0)), factor = constant(1);
      return factor <= most && apart <= most / std::max<uint64_t>(factor, 1) ? apart * factor : 0;
    }
    case llvm::Instruction::Add:
      if (of(i->getOperand(1)).lane_uniform()) return distance(i->getOperand(0));
      return of(i->getOperand(0)).lane_uniform() ? distance(i->getOperand(1)) : 0;
    default: return 0;
  }
}

bool Patterns::single_unit() const { return vectors() * lanes() >= context_.geometry->threads(); }

// Steps are numbers modulo 2^width, kept sign extended.
Pattern Patterns::fit(Pattern p, const llvm::Type* type) const {
  const unsigned width = width_of(type);
  if ((p.stepped() || p.kind == Pattern::xored) && width != 0 && width < 64) {
    p.lane_step = llvm::SignExtend64(static_cast<uint64_t>(p.lane_step), width);
    p.vector_step = llvm::SignExtend64(static_cast<uint64_t>(p.vector_step), width);
  }
  if (p.kind == Pattern::xored) {
    const auto row = std::abs(times(p.lane_step, int64_t{lanes()}));
    const bool fits = width != 0 && row < (int64_t{1} << (std::min(width, 63U) - 1)) / int64_t{vectors()};
    if (std::abs(p.vector_step) != row || !fits) p.vector_step = 0;
    if (p.lane_step == 0) p.kind = Pattern::per_vector;
  }
  if (p.kind == Pattern::per_vector) p.vector_step = 0;
  return p;
}

Pattern Patterns::pointwise(const llvm::Instruction& instruction) const {
  bool uniform = true, lane_uniform = true;
  for (const llvm::Value* operand : instruction.operands()) {
    if (llvm::isa<llvm::BasicBlock, llvm::Function>(operand)) continue;
    const Pattern p = of(operand);
    if (p.kind == Pattern::unknown) return {};
    uniform &= p.uniform(), lane_uniform &= p.lane_uniform();
  }
  if (uniform) return Pattern::of_uniform();
  return lane_uniform ? Pattern{Pattern::per_vector, 0, 0, 0} : Pattern::of_vector();
}

Pattern Patterns::sum(const llvm::Instruction& i, const Pattern& a, const Pattern& b, int sign) const {
  if (a.kind == Pattern::unknown || b.kind == Pattern::unknown) return {};
  if (!a.stepped() || !b.stepped()) return Pattern::of_vector(std::min(lane_zeros(a), lane_zeros(b)));
  Pattern result{std::max(a.kind, b.kind), plus(a.lane_step, sign < 0 ? plus(~b.lane_step, 1) : b.lane_step),
                 plus(a.vector_step, sign < 0 ? plus(~b.vector_step, 1) : b.vector_step),
                 std::min(a.zeros, b.zeros)};
  if (result.kind == Pattern::per_vector)
    result.zeros = static_cast<uint8_t>(
        std::min<unsigned>({result.zeros, zeros_of(a.vector_step), zeros_of(b.vector_step)}));
  return fit(result, i.getType());
}

Pattern Patterns::scaled(const llvm::Instruction& i, const Pattern& a, int64_t factor, unsigned zeros) const {
  if (a.kind == Pattern::unknown) return {};
  const auto more = [&](unsigned z) { return static_cast<uint8_t>(std::min(all_zero, z + zeros)); };
  if (a.kind == Pattern::vector) return Pattern::of_vector(more(a.zeros));
  const auto wrapped = [&](int64_t step) {
    return static_cast<int64_t>(static_cast<uint64_t>(step) * static_cast<uint64_t>(factor));
  };
  return fit({a.kind, wrapped(a.lane_step), wrapped(a.vector_step), more(a.zeros)}, i.getType());
}

// What a thread's place in its block bounds, whatever the launch; flags of LLVM do not count, since they
// speak of active lanes only.
std::optional<uint64_t> Patterns::most(const llvm::Value& value, unsigned depth) const {
  constexpr uint64_t limit = uint64_t{1} << 31;
  const auto below = [](uint64_t n) { return n < limit ? std::optional(n) : std::nullopt; };
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return below(number->getValue().getLimitedValue());
  const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
  if (i == nullptr || depth == 0 || !i->getType()->isIntegerTy()) return std::nullopt;
  if (const auto op = op_of(i)) {
    const Geometry& g = *context_.geometry;
    if (*op != Op::tid) return std::nullopt;
    const uint64_t dimension = immediate(*llvm::cast<llvm::CallInst>(i), 0);
    return (dimension == 0 ? g.block.x : dimension == 1 ? g.block.y : g.block.z) - 1;
  }
  const unsigned code = i->getOpcode();
  if (code == llvm::Instruction::ZExt) return most(*i->getOperand(0), depth - 1);
  if (i->getNumOperands() != 2) return std::nullopt;
  const auto a = most(*i->getOperand(0), depth - 1), b = most(*i->getOperand(1), depth - 1);
  if (code == llvm::Instruction::And) return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
  if (!a || !b) return std::nullopt;
  switch (code) {
    case llvm::Instruction::Add: return below(*a + *b);
    case llvm::Instruction::Mul: return below(*a * *b);
    case llvm::Instruction::Shl: return *b < 31 ? below(*a << *b) : std::nullopt;
    case llvm::Instruction::LShr: return a;
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor: return below(std::bit_ceil(std::max(*a, *b) + 1) - 1);
    default: return std::nullopt;
  }
}

bool Patterns::fits_signed(const llvm::Value& value) const {
  constexpr unsigned operands = 6;  // one inside the other
  const unsigned width = width_of(value.getType());
  const auto bound = width >= 32 || width == 16 ? most(value, operands) : std::nullopt;
  return bound && *bound < uint64_t{1} << (std::min(width, 32U) - 1);
}

Pattern Patterns::extension(const llvm::Instruction& i) {
  const Pattern a = of(i.getOperand(0));
  if (a.kind == Pattern::unknown || a.uniform()) return a;
  if (a.kind == Pattern::vector) return Pattern::of_vector(a.zeros);
  if (width_of(i.getOperand(0)->getType()) == 1)
    return a.lane_uniform() ? Pattern{Pattern::per_vector, 0, 0, 0} : Pattern::of_vector();
  if (a.kind == Pattern::per_vector && a.lane_step == 0) return a;
  if (!carries(a, free_bits(i)) || fits_signed(*i.getOperand(0))) return a;
  // Products by large numbers wrap somewhere wherever they begin: no test of the base would hold.
  const unsigned from = width_of(i.getOperand(0)->getType());
  if (context_.assume_no_wrap && from >= 32 && fits(a, from)) return a;
  return a.lane_step == 0 ? Pattern{Pattern::per_vector, 0, 0, static_cast<uint8_t>(lane_zeros(a))}
                          : Pattern::of_vector(lane_zeros(a));
}

// x & (2^bits - 1)
Pattern Patterns::low_bits(const llvm::Instruction& i, const Pattern& a, unsigned bits) const {
  if (!a.stepped() || a.lane_uniform()) return pointwise(i);
  const int64_t lane_span = times(a.lane_step, int64_t{lanes()} - 1);
  const int64_t limit = bits < 62 ? int64_t{1} << bits : int64_t{1} << 62;
  const unsigned width = width_of(i.getType());
  if (!carries(a, width) && highest(a) < limit) return a;
  const bool lanes_stay = a.lane_step > 0 && lane_span < limit && a.zeros < 64 &&
                          (a.zeros >= 62 || (int64_t{1} << a.zeros) > lane_span);
  if (!lanes_stay) return Pattern::of_vector(std::min(lane_zeros(a), bits));
  if (a.kind == Pattern::per_vector) return a;
  // Vectors whose distance is a multiple of 2^bits look alike.
  if (bits < 62 && a.vector_step % limit == 0) return {Pattern::affine, a.lane_step, 0, a.zeros};
  // A base a vector; the lanes must fit below what the vectors' distance leaves free.
  const unsigned free = std::min<unsigned>(a.zeros, zeros_of(a.vector_step));
  if (free >= 62 || (int64_t{1} << free) > lane_span)
    return {Pattern::per_vector, a.lane_step, 0, static_cast<uint8_t>(free)};
  return Pattern::of_vector(std::min(lane_zeros(a), bits));
}

// x & mask, where the mask has all bits that differ from lane to lane, or none of them.
std::optional<Pattern> Patterns::whole_bits(const Pattern& a, uint64_t mask, unsigned width) const {
  if (a.kind == Pattern::vector || a.lane_step <= 0) return std::nullopt;
  if (!std::has_single_bit(static_cast<uint64_t>(a.lane_step))) return std::nullopt;
  const unsigned zeros = std::min<unsigned>(a.zeros, zeros_of(a.vector_step)),
                 needed = row_zeros(a.lane_step);
  if (zeros < needed) return std::nullopt;
  const auto bits_from_step = [&](unsigned bits) {
    return llvm::maskTrailingOnes<uint64_t>(bits) & ~(static_cast<uint64_t>(a.lane_step) - 1);
  };
  const auto more = static_cast<uint8_t>(std::max<unsigned>(zeros, zeros_of(static_cast<int64_t>(mask))));
  const uint64_t of_lanes = bits_from_step(needed);
  if ((mask & of_lanes) != 0 && (mask & of_lanes) != of_lanes) return std::nullopt;
  if (a.kind == Pattern::affine && a.vector_step >= 0 && !carries(a, width)) {
    const uint64_t of_unit =
        bits_from_step(static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(highest(a)))));
    const auto base = static_cast<uint8_t>(std::max<unsigned>(a.zeros, zeros_of(static_cast<int64_t>(mask))));
    if ((mask & of_unit) == 0) return Pattern::of_uniform(base);
    if ((mask & of_unit) == of_unit) return Pattern{Pattern::affine, a.lane_step, a.vector_step, base};
  }
  if ((mask & of_lanes) == 0) return Pattern{Pattern::per_vector, 0, 0, more};
  return Pattern{a.kind == Pattern::xored ? a.kind : Pattern::per_vector, a.lane_step, 0, more};
}

Pattern Patterns::shifted_right(const llvm::Instruction& i, const Pattern& a, unsigned amount) const {
  if (!a.stepped() || a.lane_uniform() || a.lane_step < 0) return pointwise(i);
  const int64_t lane_span = times(a.lane_step, int64_t{lanes()} - 1);
  const int64_t unit = amount < 62 ? int64_t{1} << amount : int64_t{1} << 62;
  const unsigned free = std::min<unsigned>(a.zeros, zeros_of(a.vector_step));
  if (lane_span >= unit || (free < 62 && (int64_t{1} << free) <= lane_span)) return Pattern::of_vector();
  if (a.kind == Pattern::affine && !carries(a, width_of(i.getType())) && a.vector_step % unit == 0 &&
      a.zeros >= amount)
    return {Pattern::affine, 0, a.vector_step / unit, static_cast<uint8_t>(a.zeros - amount)};
  return {Pattern::per_vector, 0, 0, 0};
}

// %tid: see Geometry. What divides what decides.
Pattern Patterns::thread_index(unsigned dimension) const {
  const Geometry& g = *context_.geometry;
  const unsigned unit = vectors() * lanes(), row = g.block.x;
  const auto zeros = [&](unsigned multiple) { return single_unit() ? all_zero : zeros_of(multiple); };
  const Pattern by_vector{Pattern::per_vector, 0, 0, 0};
  if (dimension == 2 && g.block.z == 1) return Pattern::of_uniform(all_zero);
  if (dimension == 1 && g.block.y == 1) return Pattern::of_uniform(all_zero);
  if (dimension == 0 && g.block.x == 1) return Pattern::of_uniform(all_zero);
  if (row % unit == 0 || (row >= g.threads() && single_unit())) {
    if (dimension != 0) return Pattern::of_uniform();
    return {Pattern::affine, 1, int64_t{lanes()}, static_cast<uint8_t>(zeros(unit))};
  }
  if (g.threads() == row && dimension == 0)  // one row: no wrap from row to row
    return {Pattern::affine, 1, int64_t{lanes()}, static_cast<uint8_t>(zeros(unit))};
  if (row % lanes() != 0) return Pattern::of_vector();
  const unsigned row_vectors = row / lanes();
  if (dimension == 0) {
    if (row_vectors == 1) return {Pattern::affine, 1, 0, all_zero};
    return {Pattern::per_vector, 1, 0, static_cast<uint8_t>(zeros_of(lanes()))};
  }
  if (dimension == 1) {
    if (row_vectors == 1 && (g.block.z == 1 || g.block.y % vectors() == 0))
      return {Pattern::affine, 0, 1, static_cast<uint8_t>(zeros(vectors()))};
    return by_vector;
  }
  return g.block.y * row % unit == 0 ? Pattern::of_uniform() : by_vector;
}

Pattern Patterns::operation(const llvm::CallInst& call) {
  const Geometry& g = *context_.geometry;
  const Pattern one_a_warp =
      vectors() == g.warp_vectors() ? Pattern::of_uniform() : Pattern{Pattern::per_vector, 0, 0, 0};
  switch (*op_of(&call)) {
    case Op::tid: return thread_index(static_cast<unsigned>(immediate(call, 0)));
    case Op::laneid:
      if (vectors() == g.warp_vectors()) return {Pattern::affine, 1, int64_t{lanes()}, all_zero};
      return {Pattern::per_vector, 1, 0, static_cast<uint8_t>(zeros_of(lanes()))};
    case Op::warpid: return one_a_warp;
    case Op::parameter: {
      const uint64_t offset = immediate(call, 0);
      unsigned zeros = 0;
      if (width_of(call.getType()) == 64 && offset % 8 == 0 && context_.word_alignment != nullptr &&
          offset / 8 < context_.word_alignment->size())
        zeros = (*context_.word_alignment)[offset / 8];
      return Pattern::of_uniform(zeros);
    }
    case Op::generic: return of(call.getArgOperand(0));
    case Op::slot_load: return (*context_.slots)[immediate(call, 0)];
    case Op::load: {
      const Pattern address = of(call.getArgOperand(0));
      if (address.kind == Pattern::unknown) return {};
      // Local memory is each thread's own, and a generic address may be one of it.
      if (const auto space = static_cast<module::Space>(immediate(call, 1));
          space == module::Space::local || space == module::Space::generic)
        return Pattern::of_vector();
      if (address.uniform()) return Pattern::of_uniform();
      return address.lane_uniform() ? Pattern{Pattern::per_vector, 0, 0, 0} : Pattern::of_vector();
    }
    case Op::vote:
    case Op::ballot: {
      const Pattern members = of(call.getArgOperand(*op_of(&call) == Op::vote ? 2 : 1));
      if (members.kind == Pattern::unknown) return {};
      return members.lane_uniform() ? one_a_warp : Pattern::of_vector();
    }
    case Op::active_mask: return one_a_warp;
    case Op::ntid:
    case Op::ctaid:
    case Op::nctaid:
    case Op::threads_here:
    case Op::grid_id:
    case Op::dynamic_shared_bytes:
    case Op::environment:
    case Op::symbol:
    case Op::local_address:
    case Op::barrier_result:
    case Op::rows_apart:
    case Op::barrier_some:
    case Op::clock: return Pattern::of_uniform();
    case Op::approximate:
    case Op::rounded:
    case Op::first_nan:
    case Op::math:
    case Op::dot_bytes: return pointwise(call);
    default: return Pattern::of_vector();
  }
}

Pattern Patterns::phi(const llvm::PHINode& phi) const {
  const llvm::BasicBlock* block = phi.getParent();
  Pattern joined;
  const llvm::Value* only = nullptr;
  bool same = true, leaves_loop = false, header = false;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const llvm::Value* value = phi.getIncomingValue(i);
    const llvm::BasicBlock* from = phi.getIncomingBlock(i);
    if (flow_.is_back_edge(from, block)) {
      header = true;
    } else {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      for (const llvm::Loop* loop = flow_.loops().getLoopFor(from); loop != nullptr && !loop->contains(block);
           loop = loop->getParentLoop())
        leaves_loop |= instruction != nullptr && loop->contains(instruction) && flow_.is_divergent_loop(loop);
    }
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    same &= only == nullptr || only == value;
    only = value;
    joined = join(joined, of(value));
  }
  if (joined.kind == Pattern::unknown) return only == nullptr ? Pattern::of_uniform() : joined;
  if (header) return joined;  // who is in a loop came in together
  // Fast code comes to a join with all lanes by one way, but for the ends of components, where lanes that
  // came different ways are together again.
  const bool mixes =
      context_.assume_no_wrap ? flow_.ends_component(block) : flow_.is_join(block) || leaves_loop;
  if ((mixes && !same) || (leaves_loop && mixes)) return Pattern::of_vector(lane_zeros(joined));
  return joined;
}

// `tid < 64`, of a unit that begins at a multiple of 32: below or not, all of it.
bool Patterns::is_of_whole_units(const llvm::ICmpInst& compare) const {
  const Pattern a = of(compare.getOperand(0));
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
  if (a.kind != Pattern::affine || a.uniform() || number == nullptr || compare.isEquality()) return false;
  if (lowest(a) < 0 || a.zeros >= all_zero) return false;
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(highest(a))));
  llvm::APInt limit = number->getValue();
  using enum llvm::CmpInst::Predicate;
  const auto predicate = compare.getPredicate();
  if (predicate == ICMP_UGT || predicate == ICMP_SGT || predicate == ICMP_ULE || predicate == ICMP_SLE)
    ++limit;
  return bits <= a.zeros && bits < limit.getBitWidth() && limit.countr_zero() >= bits;
}

Pattern Patterns::transfer(const llvm::Instruction& i) {
  const Pattern p = of_lanes(i);
  return context_.row == 0 || p.kind == Pattern::unknown ? p : with_rows(i, p);
}

Pattern Patterns::of_lanes(const llvm::Instruction& i) {
  if (const auto* node = llvm::dyn_cast<llvm::PHINode>(&i)) return phi(*node);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && op_of(call))
    return operation(*call);
  const auto constant = [&](unsigned operand) {
    return llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(operand));
  };
  const unsigned width = width_of(i.getType());
  if (const auto p = of_xored(i)) return *p;
  switch (i.getOpcode()) {
    case llvm::Instruction::ExtractValue: return of(i.getOperand(0));
    case llvm::Instruction::Add: return sum(i, of(i.getOperand(0)), of(i.getOperand(1)), 1);
    case llvm::Instruction::Sub: return sum(i, of(i.getOperand(0)), of(i.getOperand(1)), -1);
    case llvm::Instruction::Or:
      if (llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint())
        return sum(i, of(i.getOperand(0)), of(i.getOperand(1)), 1);
      break;
    case llvm::Instruction::Mul:
      if (width <= 64 && constant(1))
        return scaled(i, of(i.getOperand(0)), constant(1)->getSExtValue(),
                      zeros_of(constant(1)->getSExtValue()));
      if (const Pattern a = of(i.getOperand(0)), b = of(i.getOperand(1));
          a.kind != Pattern::unknown && b.kind != Pattern::unknown) {
        Pattern p = pointwise(i);
        p.zeros = static_cast<uint8_t>(std::min(all_zero, lane_zeros(a) + lane_zeros(b)));
        return p;
      }
      break;
    case llvm::Instruction::Shl:
      if (width <= 64 && constant(1) && constant(1)->getZExtValue() < width) {
        const unsigned amount = static_cast<unsigned>(constant(1)->getZExtValue());
        return scaled(i, of(i.getOperand(0)), static_cast<int64_t>(uint64_t{1} << amount), amount);
      }
      break;
    case llvm::Instruction::Trunc: {
      const Pattern a = of(i.getOperand(0));
      if (a.kind == Pattern::unknown) return a;
      if (width == 1 && !a.lane_uniform()) return Pattern::of_vector();
      return fit(a, i.getType());
    }
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: return extension(i);
    case llvm::Instruction::And: {
      const Pattern a = of(i.getOperand(0));
      if (a.kind == Pattern::unknown) return a;
      if (const auto* mask = constant(1); mask != nullptr && width <= 64) {
        if (mask->getValue().isMask()) return low_bits(i, a, mask->getValue().popcount());
        if (const auto p = whole_bits(a, mask->getZExtValue(), width)) return *p;
        Pattern p = pointwise(i);
        p.zeros =
            static_cast<uint8_t>(std::min(all_zero, std::max(lane_zeros(a), mask->getValue().countr_zero())));
        return p;
      }
      break;
    }
    case llvm::Instruction::LShr: {
      const Pattern a = of(i.getOperand(0));
      if (a.kind == Pattern::unknown) return a;
      if (width <= 64 && constant(1) && constant(1)->getZExtValue() < width)
        return shifted_right(i, a, static_cast<unsigned>(constant(1)->getZExtValue()));
      break;
    }
    case llvm::Instruction::BitCast:
      if (i.getType()->isIntegerTy() && i.getOperand(0)->getType()->isIntegerTy()) return of(i.getOperand(0));
      break;
    case llvm::Instruction::Freeze: return of(i.getOperand(0));
    case llvm::Instruction::Select: {
      const Pattern c = of(i.getOperand(0)), a = of(i.getOperand(1)), b = of(i.getOperand(2));
      if (c.kind == Pattern::unknown || a.kind == Pattern::unknown || b.kind == Pattern::unknown) return {};
      if (c.uniform()) return join(a, b);
      Pattern p = pointwise(i);
      p.zeros = static_cast<uint8_t>(std::min(lane_zeros(a), lane_zeros(b)));
      return p;
    }
    case llvm::Instruction::Xor: return exclusive_or(i);
    case llvm::Instruction::ICmp:
      if (is_of_whole_units(llvm::cast<llvm::ICmpInst>(i))) return Pattern::of_uniform();
      break;
    default: break;
  }
  return pointwise(i);
}

bool branches_by_steps(const llvm::BasicBlock& block, const Patterns& patterns) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || !branch->isConditional()) return false;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  return compare != nullptr && patterns.of(compare->getOperand(0)).stepped() &&
         patterns.of(compare->getOperand(1)).stepped();
}

}  // namespace heddle::exec::jit
