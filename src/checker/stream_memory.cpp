#include "checker/stream_memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checker/place_text.h"
#include "checker/record.h"

namespace heddle::checker {

namespace {

// Of so many uses of one piece of memory the stacks are kept until it is freed.
constexpr std::size_t most_uses = 256;

}  // namespace

StreamMemory::Use StreamMemory::use_of(const runtime::Submission& at, const char* when) {
  return {{at.number, at.stream}, when, at.stack};
}

void StreamMemory::submitted(const runtime::Submission& submission, const runtime::Context&) {
  const std::lock_guard lock(mutex_);
  order_.submitted(submission);
}

void StreamMemory::host_waited(std::span<const uint64_t> submissions) {
  const std::lock_guard lock(mutex_);
  order_.host_waited(submissions);
}

// Its addresses are somebody else's now.
void StreamMemory::allocated(const runtime::Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  auto at = pieces_.lower_bound(allocation.address);
  if (at != pieces_.begin() && std::prev(at)->first + std::prev(at)->second.bytes > allocation.address) --at;
  while (at != pieces_.end() && at->first < allocation.end()) at = pieces_.erase(at);
}

void StreamMemory::allocated_in_order(const runtime::Submission& at, uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  pieces_[address] = {.address = address,
                      .bytes = bytes,
                      .allocated = use_of(at, "cudaMallocAsync time"),
                      .freed = std::nullopt,
                      .uses = {}};
}

void StreamMemory::freed_in_order(const runtime::Submission& at, uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(address);
  if (found == pieces_.end() || found->second.freed) return;
  Piece& piece = found->second;
  piece.freed = use_of(at, "cudaFreeAsync time");
  for (Use& use : std::exchange(piece.uses, {})) add_use(piece, std::move(use));
}

StreamMemory::Piece* StreamMemory::find(uint64_t address) {
  auto at = pieces_.upper_bound(address);
  if (at == pieces_.begin()) return nullptr;
  Piece& piece = (--at)->second;
  return address - piece.address < piece.bytes ? &piece : nullptr;
}

bool StreamMemory::any() {
  const std::lock_guard lock(mutex_);
  return !pieces_.empty();
}

std::optional<uint64_t> StreamMemory::outlives(uint64_t address, const runtime::Submission& work) {
  const std::lock_guard lock(mutex_);
  const Piece* piece = find(address);
  if (piece == nullptr || (piece->freed && piece->freed->work.number < work.number)) return std::nullopt;
  return piece->address;
}

std::vector<StreamMemory::Range> StreamMemory::unready(const runtime::Submission& work) {
  const std::lock_guard lock(mutex_);
  std::vector<Range> found;
  for (const auto& [address, piece] : pieces_) {
    const bool freed = piece.freed && piece.freed->work.number < work.number;
    if (freed || (before_ && !order_.before(piece.allocated.work, {work.number, work.stream})))
      found.push_back({address, piece.bytes, freed});
  }
  return found;
}

void StreamMemory::used(const runtime::Submission& work, std::span<const uint64_t> allocations,
                        const char* when) {
  const std::lock_guard lock(mutex_);
  for (const uint64_t address : allocations)
    if (const auto found = pieces_.find(address); found != pieces_.end())
      add_use(found->second, use_of(work, when));
}

// Work that was asked for behind the end of the piece is told by what it does (unready).
void StreamMemory::add_use(Piece& piece, Use use) {
  if (!after_) return;
  if (!piece.freed) {
    std::erase_if(piece.uses, [&](const Use& other) { return order_.host_knows(other.work); });
    if (piece.uses.size() < most_uses) piece.uses.push_back(std::move(use));
    return;
  }
  if (use.work.number < piece.freed->work.number && !order_.before(use.work, piece.freed->work))
    tell(piece, false, use, *piece.freed);
}

void StreamMemory::copied(const runtime::CopyFacts& facts) {
  if (facts.submission == nullptr || facts.bytes() == 0) return;
  const char* when = facts.from != nullptr ? "cudaMemcpy time" : "cudaMemset time";
  const std::lock_guard lock(mutex_);
  for (const runtime::TouchedPlace* place : {&facts.to, facts.from}) {
    Piece* piece = place == nullptr ? nullptr : find(place->address);
    if (piece == nullptr) continue;
    Use use = use_of(*facts.submission, when);
    if (before_ && !order_.before(piece->allocated.work, use.work)) tell(*piece, true, use, piece->allocated);
    add_use(*piece, std::move(use));
  }
}

void StreamMemory::tell(const Piece& piece, bool before, const Use& use, const Use& other) {
  if (!reporter_->wants_error()) return;
  const std::string kind = before ? "Use-before-alloc" : "Use-after-free";
  const std::string at = hex(piece.address);
  const auto stack = [](const Use& one) {
    return host_frames(one.stack, ("at " + std::string(one.when)).c_str());
  };
  reporter_->tell(
      MessageKind::error,
      kind + " on allocation of size " + with_commas(piece.bytes) + " bytes at " + at + "\n    Address " +
          at + " is potentially accessed " + (before ? "before it is allocated" : "after it is free'd") +
          "\n    " + stack(use) + "\n    " + stack(other),
      "\n    missing: nothing orders the two: an event, or one stream for both", false, 0, 0,
      value("kind", "Stream-ordered race") +
          element("what", value("text", kind + " race") + value("address", at) + value("size", piece.bytes)) +
          host_stack_record(use.stack, "?", "hostAccessStack") +
          host_stack_record(other.stack, "?", "hostMemOpStack"));
}

}  // namespace heddle::checker
