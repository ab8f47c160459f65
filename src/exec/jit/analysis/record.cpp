#include "exec/jit/analysis/record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "exec/jit/analysis/low_bits.h"
#include "exec/jit/analysis/run_order.h"
#include "exec/jit/ir/ops.h"

namespace heddle::exec::jit {

using module::Space;

std::pair<unsigned, llvm::Type*> elements_of(const llvm::CallInst& access) {
  if (is_op(&access, Op::store)) return {access.arg_size() - 3, access.getArgOperand(3)->getType()};
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(access.getType()))
    return {structure->getNumElements(), structure->getElementType(0)};
  return {1, access.getType()};
}

bool rows_are_pieces(const Patterns& patterns, const llvm::CallInst& access) {
  const auto [elements, type] = elements_of(access);
  const unsigned element_bytes = type->getScalarSizeInBits() / 8;
  const auto space = static_cast<Space>(immediate(access, 1));
  const uint64_t flags = immediate(access, 2);
  if (patterns.row_count() < 2 ||
      (flags & (access_strong | access_acquire | access_release | access_run)) != 0)
    return false;
  if (space != Space::global && space != Space::shared && space != Space::const_) return false;
  if (!std::has_single_bit(elements) || element_bytes > 8 || elements * patterns.row_count() > 64)
    return false;
  const Pattern p = patterns.of(access.getArgOperand(0));
  const int64_t bytes = int64_t{elements} * element_bytes;
  if (!p.rows || p.row_step != bytes || p.lane_uniform()) return false;
  return !(p.stepped() && p.lane_step == bytes);
}

namespace {

class Classifier {
 public:
  Classifier(const llvm::CallInst& call, const Patterns& patterns, const AccessMeans& means,
             AccessRecord record, bool one_value)
      : call_(call), patterns_(patterns), means_(means), record_(record), one_value_(one_value) {}

  AccessRecord run() {
    const bool is_access = is_op(&call_, Op::load) || is_op(&call_, Op::store);
    turn_around(is_access);
    record_.lanes_apart = lanes_apart();
    record_.by_lane = by_lane();
    const auto in_group = is_access ? place_in_comb() : std::nullopt;
    record_.in_group = static_cast<uint8_t>(in_group.value_or(0));
    record_.form = !is_access      ? AccessRecord::lanes
                   : record_.write ? of_store(in_group.has_value())
                                   : of_load(in_group.has_value());
    return record_;
  }

 private:
  bool has(Pass part) const { return means_.passes->has(part); }

  // A row that goes backwards is one that goes forwards, whose lanes have changed places, the first with the
  // last.
  void turn_around(bool is_access) {
    Pattern& p = record_.address;
    const auto bytes = static_cast<int64_t>(record_.bytes());
    if (!is_access || record_.run || !has(Pass::reversed_rows) || !p.stepped() || p.lane_step != -bytes)
      return;
    const int64_t row = bytes * int64_t{patterns_.lanes()};
    const auto of_bytes = static_cast<uint8_t>(std::countr_zero(record_.bytes()));
    p = {Pattern::xored, bytes, p.vector_step == -row ? row : 0, std::min(p.zeros, of_bytes)};
    record_.reversed = true;
  }

  // Steps so long that a few of them come round to the first lane's place say nothing.
  bool lanes_apart() const {
    const Pattern& p = record_.address;
    const uint64_t step =
        p.lane_step < 0 ? -static_cast<uint64_t>(p.lane_step) : static_cast<uint64_t>(p.lane_step);
    return (p.kind != Pattern::vector && step >= record_.bytes() &&
            step <= (uint64_t{1} << 31) / patterns_.lanes()) ||
           patterns_.distance(call_.getArgOperand(0)) >= record_.bytes();
  }

  // ---- lane by lane
  bool has_pieces() const {
    return !record_.masked && !record_.strong && record_.elements > 1 &&
           std::has_single_bit(record_.elements) && record_.element_bytes <= 8;
  }

  // Under a mask one gather is cheaper than going through the lanes; without one that depends on the
  // processor, but it is less to compile.
  bool gathers() const {
    return means_.level == VectorLevel::avx512 && !record_.strong && record_.element_bytes <= 8 &&
           (record_.masked || has(Pass::brief) || (means_.gathers && record_.space == Space::shared));
  }

  bool goes_at_once() const {
    return gathers() && (!record_.write || (record_.elements == 1 && record_.element_bytes >= 4));
  }

  // One pointer and numbers that are known: half of the code. Behind shared memory's window lie 64 KiB for
  // what is added to a masked address (launch/regions.h); before it lies whatever, and there a lane would lie
  // that takes no part.
  bool has_steps() const {
    constexpr int64_t most = 60 << 10;
    const Pattern& p = record_.address;
    if (record_.run || !p.stepped() || !is_no_row()) return false;
    if (p.lane_step <= 0 || p.lane_step > most / int64_t{patterns_.lanes()}) return false;
    return record_.space == Space::global || record_.space == Space::const_ ||
           (record_.space == Space::shared && !record_.masked);
  }

  AccessRecord::Lanes by_lane() const {
    const bool at_once = goes_at_once();
    const bool steps = has_steps();
    if (at_once && steps && record_.element_bytes >= 4 && !has_pieces()) return AccessRecord::steps;
    if (!record_.write && has_pieces()) return AccessRecord::pieces;
    if (at_once) return AccessRecord::places;
    if (record_.masked) return AccessRecord::loop;
    return steps ? AccessRecord::unrolled_steps : AccessRecord::unrolled;
  }

  // ---- rows
  bool rows_are_possible() const {
    return (record_.elements == 1 && !(record_.strong && record_.masked)) ||
           (!record_.masked && std::has_single_bit(record_.elements));
  }

  // To look whether lanes that are not known to do so lie side by side. Bytes and halves of words are looked
  // up in tables more often; but under a mask going through them lane by lane costs more than to look, where
  // there are masks for them.
  bool rows_are_worth_it() const {
    return record_.element_bytes >= 4 || (record_.masked && means_.level == VectorLevel::avx512);
  }

  // No need to see at run time whether lanes lie side by side.
  bool is_no_row() const {
    if (!has(Pass::found_rows)) return true;
    // A gather does both.
    if (has(Pass::brief) && record_.masked && gathers() && record_.element_bytes >= 4) return true;
    const uint64_t step = record_.side_by_side_bytes();
    return record_.address.stepped() ? !record_.is_stepped_by(step)
                                     : patterns_.distance(call_.getArgOperand(0)) > step;
  }

  bool may_find_rows() const {
    return !record_.is_thread_by_thread() && rows_are_possible() && rows_are_worth_it() && !is_no_row();
  }

  bool is_row() const {
    return record_.is_plain() && record_.is_stepped_by(record_.bytes()) && rows_are_possible();
  }

  bool is_permuted_row() const {
    const Pattern& p = record_.address;
    return has(Pass::xored_rows) && record_.is_plain() && p.kind == Pattern::xored &&
           p.lane_step == static_cast<int64_t>(record_.bytes()) && !record_.run && rows_are_possible();
  }

  // Bytes, or halves, at the beginning of words that lie side by side: whole words are loaded, none of which
  // reaches into a page that its first byte is not in.
  bool is_spaced_row() const {
    const Pattern& p = record_.address;
    const auto step = static_cast<uint64_t>(p.lane_step);
    return has(Pass::spaced_rows) && record_.is_plain() && !record_.strong && record_.elements == 1 &&
           p.stepped() && elements_of(call_).second->isIntegerTy() && (step == 2 || step == 4 || step == 8) &&
           step > record_.element_bytes && p.zeros >= static_cast<unsigned>(std::countr_zero(step)) &&
           p.vector_step % p.lane_step == 0;
  }

  // Every second, fourth or eighth element in a row. None of their groups, which begin at multiples of their
  // size, reaches into a page that its element is not in. What lies between is stored again as it was: the
  // block's own memory alone is its thread's. The element's bytes in its group, if it is that.
  std::optional<uint64_t> place_in_comb() const {
    const Pattern& p = record_.address;
    const unsigned bytes = record_.element_bytes;
    const bool space = record_.space == Space::shared ||
                       (!record_.write && (record_.space == Space::global || record_.space == Space::const_));
    if (!has(Pass::combed_rows) || !space || record_.strong || record_.run || record_.elements != 1 ||
        bytes < 4 || bytes > 8 || (record_.masked && has(Pass::brief)))
      return std::nullopt;
    // Each of the machine's vectors has the groups of several lanes.
    const int64_t vector = 4 * int64_t{most_lanes(means_.level)},
                  row = p.lane_step * int64_t{patterns_.lanes()};
    const bool steps =
        record_.is_stepped_by(2 * bytes) || record_.is_stepped_by(16) || record_.is_stepped_by(32);
    if (!steps || 2 * p.lane_step > vector || row % vector != 0) return std::nullopt;
    if (record_.write && (record_.of_cluster || p.kind != Pattern::affine || p.vector_step != row))
      return std::nullopt;
    const auto in_group =
        low_bits(*call_.getArgOperand(0),
                 static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(p.lane_step))), patterns_);
    return in_group && *in_group % bytes == 0 ? in_group : std::nullopt;
  }

  bool has_row_tiles() const {
    return has(Pass::row_tiles) && !record_.masked && rows_are_pieces(patterns_, call_);
  }

  // ---- in order of preference
  AccessRecord::Form of_load(bool combed) const {
    const Pattern& p = record_.address;
    if (record_.is_plain() && p.lane_uniform())
      return p.uniform() ? AccessRecord::broadcast : AccessRecord::per_vector;
    if (has_row_tiles()) return AccessRecord::row_tiles;
    if (record_.run && !record_.masked) {
      if (record_.is_plain() && record_.is_stepped_by(record_.bytes()) && record_.elements <= 4)
        return AccessRecord::run_row;
      return p.stepped() ? AccessRecord::run_pieces : AccessRecord::found_run;
    }
    // In the block's memory whole vectors, without masks, wait least for what was just stored.
    if (is_spaced_row() && !(combed && record_.space == Space::shared)) return AccessRecord::spaced_row;
    if (combed) return AccessRecord::combed_row;
    if (is_permuted_row()) return AccessRecord::permuted_row;
    if (is_row()) return AccessRecord::row;
    return may_find_rows() ? AccessRecord::found_row : AccessRecord::lanes;
  }

  AccessRecord::Form of_store(bool combed) const {
    const Pattern& p = record_.address;
    if (record_.run && record_.elements > 1) {
      if (record_.masked || !(p.stepped() || tested_row_of(call_))) return AccessRecord::by_elements;
      return record_.is_stepped_by(record_.bytes()) && record_.elements <= 4 ? AccessRecord::run_row
                                                                             : AccessRecord::run_pieces;
    }
    // Of a warp the first lane wins: which it is must be known.
    if (record_.is_plain() && p.uniform() && (!record_.masked || one_value_)) return AccessRecord::broadcast;
    if (has_row_tiles()) return AccessRecord::row_tiles;
    if (combed) return AccessRecord::combed_row;
    if (is_permuted_row()) return AccessRecord::permuted_row;
    if (is_row()) return AccessRecord::row;
    if (record_.is_plain() && p.lane_uniform() && !record_.masked) return AccessRecord::per_vector;
    return may_find_rows() ? AccessRecord::found_row : AccessRecord::lanes;
  }

  const llvm::CallInst& call_;
  const Patterns& patterns_;
  const AccessMeans& means_;
  AccessRecord record_;
  const bool one_value_;
};

}  // namespace

AccessRecord classify(const llvm::CallInst& call, const Pattern& address, const Patterns& patterns,
                      const AccessMeans& means, bool masked, unsigned elements, unsigned element_bytes,
                      bool one_value) {
  AccessRecord record;
  record.space = static_cast<Space>(immediate(call, 1));
  const uint64_t flags = immediate(call, 2);
  record.write = is_op(&call, Op::store);
  record.strong =
      (flags & access_strong) != 0 && record.space != Space::shared && record.space != Space::local;
  record.run = (flags & access_run) != 0;
  record.of_cluster = (flags & access_of_cluster) != 0;
  record.by_lanes = (flags & access_by_lanes) != 0;
  record.masked = masked;
  record.elements = elements, record.element_bytes = element_bytes;
  record.address = address;
  return Classifier(call, patterns, means, record, one_value).run();
}

AccessRecord classify(const llvm::CallInst& call, const Patterns& patterns, const AccessMeans& means,
                      bool masked) {
  const auto [elements, type] = elements_of(call);
  const bool one_value =
      is_op(&call, Op::store) && std::all_of(call.arg_begin() + 3, call.arg_end(),
                                             [&](const auto& v) { return patterns.of(v).uniform(); });
  return classify(call, patterns.of(call.getArgOperand(0)), patterns, means, masked, elements,
                  type->getScalarSizeInBits() / 8, one_value);
}

std::string_view name_of(AccessRecord::Form form) {
  constexpr std::array<std::string_view, AccessRecord::lanes + 1> names{
      "broadcast", "per vector", "row",        "spaced row", "combed row", "permuted row", "found row",
      "row tiles", "run row",    "run pieces", "found run",  "elements",   "lanes"};
  return names[form];
}

std::string text_of(const AccessRecord& record) {
  constexpr std::array<std::string_view, AccessRecord::steps + 1> names{
      "unrolled", "unrolled steps", "loop", "pieces", "places", "steps"};
  std::string text(name_of(record.form));
  const bool or_lanes =
      record.form == AccessRecord::found_row || (record.form == AccessRecord::combed_row && record.masked);
  if (or_lanes) text += ", else";
  if (or_lanes || record.form == AccessRecord::lanes) text += " " + std::string(names[record.by_lane]);
  return text;
}

}  // namespace heddle::exec::jit
