#include "runtime/copy.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/rehearsal.h"
#include "runtime/sealing.h"
#include "runtime/system.h"
#include "support/fault_signals.h"

namespace heddle::runtime {

namespace {

// A side of a copy once everything about it is known.
struct Side {
  std::byte* first = nullptr;
  uint64_t row_pitch = 0, slice_pitch = 0;
  AllocationRef memory;  // nullptr: the host's own
  uint64_t reach = 0;    // from the first byte to behind the last, of linear memory
  bool of_host = false;  // the program's, page-locked or not: it may unmap it at any time
  std::byte* row(uint64_t slice, uint64_t row) const { return first + slice * slice_pitch + row * row_pitch; }
};

std::string text(uint64_t value) { return std::to_string(value); }

// Products and sums of untrusted sizes.
bool multiply(uint64_t a, uint64_t b, uint64_t& out) { return !__builtin_mul_overflow(a, b, &out); }
bool add(uint64_t a, uint64_t b, uint64_t& out) { return !__builtin_add_overflow(a, b, &out); }

// Every byte, by its page. Gaps shorter than a page hide none.
bool is_there(const Side& side, const CopyExtent& extent, bool write) {
  const auto check = [write](std::byte* begin, uint64_t bytes) {
    return write ? can_be_written(begin, bytes) : can_be_read(begin, bytes);
  };
  const uint64_t slice = side.row_pitch * (extent.rows - 1) + extent.bytes;
  const bool close_rows = extent.rows == 1 || side.row_pitch - extent.bytes < AddressSpace::page_bytes;
  if (close_rows && (extent.slices == 1 || side.slice_pitch - slice < AddressSpace::page_bytes))
    return check(side.first, side.reach);
  for (uint64_t z = 0; z < extent.slices; ++z) {
    if (close_rows && !check(side.row(z, 0), slice)) return false;
    for (uint64_t y = 0; y < extent.rows && !close_rows; ++y)
      if (!check(side.row(z, y), extent.bytes)) return false;
  }
  return true;
}

// It was there when the copy was asked for. As an illegal address of a kernel, it ends the context.
Done gone(Context& context, const void* place) {
  Error failed = illegal_address("illegal address in a copy or a fill: memory of the host at " +
                                 hex(reinterpret_cast<uint64_t>(place)) + " is not mapped any more");
  context.fail(failed);
  return failed;
}

Outcome<Side> linear_side(Context& context, const CopyPlace& place, const CopyExtent& extent, bool write) {
  Side side;
  side.row_pitch = extent.rows == 1 && place.row_pitch == 0 ? extent.bytes : place.row_pitch;
  if (extent.rows > 1 && side.row_pitch < extent.bytes)
    return invalid("rows of " + text(extent.bytes) + " bytes with a pitch of " + text(side.row_pitch));
  uint64_t slice = 0, reach = 0, rows = 0, total = 0;
  if (!multiply(side.row_pitch, extent.rows - 1, rows) || !add(rows, extent.bytes, slice))
    return invalid("a copy of more bytes than there are addresses");
  side.slice_pitch = extent.slices == 1 && place.slice_pitch == 0 ? slice : place.slice_pitch;
  if (extent.slices > 1 && side.slice_pitch < slice)
    return invalid("slices of " + text(slice) + " bytes with a pitch of " + text(side.slice_pitch));
  if (!multiply(side.slice_pitch, extent.slices - 1, reach) || !add(reach, slice, total))
    return invalid("a copy of more bytes than there are addresses");
  auto memory = context.system().memory().usable(place.address, total, write);
  if (!memory) return invalid("a copy of " + text(total) + " bytes: " + memory.error().message);
  side.first = reinterpret_cast<std::byte*>(place.address);
  side.memory = std::move(*memory);
  side.reach = total;
  side.of_host = side.memory == nullptr || side.memory->kind == MemoryKind::registered;
  const bool pageable = side.of_host && (side.memory == nullptr || !side.memory->holds(place.address, total));
  if (pageable && !is_there(side, extent, write))
    return invalid("a copy of " + text(total) + " bytes: memory of the host at " + hex(place.address) +
                   (write ? " is not mapped or may not be written" : " is not mapped or may not be read"));
  return side;
}

Outcome<Side> array_side(const CopyPlace& place, const CopyExtent& extent) {
  const Array& array = *place.array;
  if (place.level >= array.image().levels)
    return invalid("mip level " + text(place.level) + " of an array that has " + text(array.image().levels));
  const exec::MipLevel& level = array.level(place.level);
  const uint64_t texel = array.texel_bytes();
  if (place.x % texel != 0 || extent.bytes % texel != 0)
    return invalid("a copy of " + text(extent.bytes) + " bytes at byte " + text(place.x) +
                   " of a row, elements have " + text(texel));
  const auto outside = [](uint64_t begin, uint64_t count, uint64_t all) {
    return begin > all || count > all - begin;
  };
  if (outside(place.x, extent.bytes, level.row_pitch) || outside(place.y, extent.rows, level.height) ||
      outside(place.z, extent.slices, level.depth))
    return invalid("a copy of " + text(extent.bytes / texel) + " x " + text(extent.rows) + " x " +
                   text(extent.slices) + " elements at (" + text(place.x / texel) + "," + text(place.y) +
                   "," + text(place.z) + ") of an array of " + text(level.width) + " x " +
                   text(level.height) + " x " + text(level.depth));
  return Side{level.data + place.z * level.slice_pitch + place.y * level.row_pitch + place.x, level.row_pitch,
              level.slice_pitch, array.memory(), 0};
}

Outcome<Side> side_of(Context& context, const CopyPlace& place, const CopyExtent& extent, bool write) {
  return place.array != nullptr ? array_side(place, extent) : linear_side(context, place, extent, write);
}

// What a program maps and unmaps stays as it is while one lives.
class Held {
 public:
  void hold(const Side& side, bool write) {
    if (side.memory == nullptr || side.memory->range == nullptr || side.reach == 0) return;
    if (side.memory->range != range_) {
      (range_ == nullptr ? first_ : second_) = VirtualRange::Use(*side.memory->range);
      if (range_ == nullptr) range_ = side.memory->range;
    }
    const VirtualRange::Use& use = side.memory->range == range_ ? first_ : second_;
    if (why_.empty()) why_ = use.refuses(reinterpret_cast<uint64_t>(side.first), side.reach, write);
  }
  bool refused() const { return !why_.empty(); }
  // As an illegal address of a kernel, it ends the context.
  Done state(Context& context) const {
    if (why_.empty()) return Unit{};
    Error failed = illegal_address("illegal address in a copy or a fill: " + why_);
    context.fail(failed);
    return failed;
  }

 private:
  const VirtualRange* range_ = nullptr;
  VirtualRange::Use first_, second_;
  std::string why_;
};

bool is_empty(const CopyExtent& extent) {
  return extent.bytes == 0 || extent.rows == 0 || extent.slices == 0;
}

TouchedPlace touched(const Side& side) {
  return {reinterpret_cast<uint64_t>(side.first), side.row_pitch, side.slice_pitch, side.memory};
}

// Tells who watches, when the work has been done.
class Told {
 public:
  Told(Context& context, const Task& task)
      : context_(context), task_(task), any_(context.system().watchers().any()) {
    if (any_) [[unlikely]]
      began_ = context_.system().scheduler().now();
  }
  void done(const Side& to, const Side* from, const CopyExtent& extent) const {
    if (!any_) [[likely]]
      return;
    const TouchedPlace source = from != nullptr ? touched(*from) : TouchedPlace();
    const CopyFacts facts{.submission = task_.submission(),
                          .context = context_,
                          .to = touched(to),
                          .from = from != nullptr ? &source : nullptr,
                          .row_bytes = extent.bytes,
                          .rows = extent.rows,
                          .slices = extent.slices,
                          .time = {began_, context_.system().scheduler().now()}};
    context_.system().watchers().tell([&](Watcher& watcher) { watcher.copied(facts); });
  }

 private:
  Context& context_;
  const Task& task_;
  const bool any_;
  int64_t began_ = 0;
};

// Rows that follow each other without gaps are one row.
CopyExtent joined(CopyExtent extent, std::initializer_list<const Side*> sides) {
  const auto gapless = [&](uint64_t Side::* pitch, uint64_t bytes) {
    for (const Side* side : sides)
      if (side->*pitch != bytes) return false;
    return true;
  };
  if (extent.rows > 1 && gapless(&Side::row_pitch, extent.bytes)) {
    extent.bytes *= extent.rows;
    extent.rows = 1;
  }
  if (extent.rows == 1 && extent.slices > 1 && gapless(&Side::slice_pitch, extent.bytes)) {
    extent.bytes *= extent.slices;
    extent.slices = 1;
  }
  return extent;
}

Rehearsal::Range range_of(const Side& side, const CopyExtent& extent) {
  return {reinterpret_cast<uint64_t>(side.first),
          side.slice_pitch * (extent.slices - 1) + side.row_pitch * (extent.rows - 1) + extent.bytes};
}

class Copy final : public Operation, public Rehearsal {
 public:
  Copy(Side to, Side from, CopyExtent extent)
      : to_(std::move(to)), from_(std::move(from)), extent_(joined(extent, {&to_, &from_})) {}

  Done take_snapshot(const CopyExtent& extent) {
    bytes_.resize(extent.bytes * extent.rows * extent.slices);
    std::byte* to = bytes_.data();
    for (uint64_t slice = 0; slice < extent.slices; ++slice)
      for (uint64_t row = 0; row < extent.rows; ++row, to += extent.bytes)
        if (!copy_if_mapped(to, from_.row(slice, row), extent.bytes))
          return invalid("a copy from memory of the host that another thread unmaps");
    from_.of_host = false;
    from_.first = bytes_.data();
    from_.row_pitch = extent.bytes;
    from_.slice_pitch = extent.bytes * extent.rows;
    extent_ = joined(extent, {&to_, &from_});
    return Unit{};
  }

  Done run(Context& context, Task& task) const override {
    const Told told(context, task);
    const Writing writing(to_.memory);
    Held held;
    held.hold(to_, true);
    held.hold(from_, false);
    if (Done state = held.state(context); !state) return state;
    if (const void* place = move()) return gone(context, place);
    told.done(to_, &from_, extent_);
    return Unit{};
  }
  Range written() const override { return range_of(to_, extent_); }
  bool rehearse() const override {
    const Writing writing(to_.memory);
    Held held;
    held.hold(to_, true);
    held.hold(from_, false);
    return !held.refused() && move() == nullptr;
  }

 private:
  // nullptr: done; else memory of the host that is not there any more.
  const void* move() const {
    for (uint64_t slice = 0; slice < extent_.slices; ++slice)
      for (uint64_t row = 0; row < extent_.rows; ++row) {
        std::byte* const to = to_.row(slice, row);
        const std::byte* const from = from_.row(slice, row);
        if (!to_.of_host && !from_.of_host)
          std::memmove(to, from, extent_.bytes);
        else if (!copy_if_mapped(to, from, extent_.bytes))
          return to_.of_host ? to : from;
      }
    return nullptr;
  }
  Side to_, from_;
  CopyExtent extent_;
  std::vector<std::byte> bytes_;
};

class Fill final : public Operation, public Rehearsal {
 public:
  Fill(Side to, const CopyExtent& extent, std::span<const std::byte> pattern)
      : to_(std::move(to)), extent_(joined(extent, {&to_})), pattern_(pattern.begin(), pattern.end()) {}

  Done run(Context& context, Task& task) const override {
    const Told told(context, task);
    const Writing writing(to_.memory);
    Held held;
    held.hold(to_, true);
    if (Done state = held.state(context); !state) return state;
    fill_rows();
    told.done(to_, nullptr, extent_);
    return Unit{};
  }
  Range written() const override { return range_of(to_, extent_); }
  bool rehearse() const override {
    const Writing writing(to_.memory);
    Held held;
    held.hold(to_, true);
    if (!held.refused()) fill_rows();
    return !held.refused();
  }

 private:
  void fill_rows() const {
    for (uint64_t slice = 0; slice < extent_.slices; ++slice)
      for (uint64_t row = 0; row < extent_.rows; ++row) fill_row(to_.row(slice, row));
  }
  void fill_row(std::byte* row) const {
    if (std::ranges::count(pattern_, pattern_[0]) == std::ssize(pattern_)) {
      std::memset(row, static_cast<int>(pattern_[0]), extent_.bytes);
      return;
    }
    // What is there already is doubled, but not beyond what the nearest cache holds: it is read again.
    constexpr uint64_t most = 16384;
    std::memcpy(row, pattern_.data(), pattern_.size());
    for (uint64_t done = pattern_.size(), whole = done; done < extent_.bytes;) {
      const uint64_t piece = std::min(whole, extent_.bytes - done);
      std::memcpy(row + done, row, piece);
      done += piece;
      if (done <= most) whole = done;
    }
  }
  const Side to_;
  const CopyExtent extent_;
  const std::vector<std::byte> pattern_;
};

class Nothing final : public Operation, public Rehearsal {
 public:
  Done run(Context&, Task&) const override { return Unit{}; }
};

// Who uses it behind its end is memcheck's affair, and no matter of a rehearsal.
class FreeInOrder final : public Operation, public Rehearsal {
 public:
  explicit FreeInOrder(AllocationRef memory) : memory_(std::move(memory)) {}
  Done run(Context& context, Task&) const override {
    context.bury(memory_);
    return Unit{};
  }

 private:
  const AllocationRef memory_;
};

Done submit(Stream& stream, Outcome<OperationRef> operation) {
  if (!operation) return operation.error();
  auto task = stream.submit(std::move(*operation));
  if (!task) return task.error();
  return Unit{};
}

}  // namespace

Outcome<OperationRef> make_copy(Context& context, const CopyRequest& request) {
  if (is_empty(request.extent)) return OperationRef(std::make_shared<Nothing>());
  auto to = side_of(context, request.to, request.extent, true);
  if (!to) return to.error();
  auto from = side_of(context, request.from, request.extent, false);
  if (!from) return from.error();
  const bool pageable = from->memory == nullptr;
  auto copy = std::make_shared<Copy>(std::move(*to), std::move(*from), request.extent);
  if (request.snapshot && pageable)
    if (Done taken = copy->take_snapshot(request.extent); !taken) return taken.error();
  return OperationRef(std::move(copy));
}

Outcome<OperationRef> make_fill(Context& context, const CopyPlace& to, const CopyExtent& extent,
                                std::span<const std::byte> pattern) {
  if (pattern.empty() || pattern.size() > 128 || extent.bytes % pattern.size() != 0)
    return invalid("a pattern of " + text(pattern.size()) + " bytes for rows of " + text(extent.bytes));
  if (is_empty(extent)) return OperationRef(std::make_shared<Nothing>());
  auto side = side_of(context, to, extent, true);
  if (!side) return side.error();
  return OperationRef(std::make_shared<Fill>(std::move(*side), extent, pattern));
}

Done copy(Stream& stream, const CopyRequest& request) {
  if (Done state = stream.context()->begin(Site::copy); !state) return state;
  return submit(stream, make_copy(*stream.context(), request));
}

Done copy(Stream& stream, uint64_t to, uint64_t from, uint64_t bytes) {
  CopyRequest request;
  request.to.address = to;
  request.from.address = from;
  request.extent.bytes = bytes;
  return copy(stream, request);
}

Done fill(Stream& stream, const CopyPlace& to, const CopyExtent& extent, std::span<const std::byte> pattern) {
  if (Done state = stream.context()->begin(Site::copy); !state) return state;
  return submit(stream, make_fill(*stream.context(), to, extent, pattern));
}

Done fill(Stream& stream, uint64_t to, uint8_t value, uint64_t bytes) {
  CopyPlace place;
  place.address = to;
  CopyExtent extent;
  extent.bytes = bytes;
  const std::byte pattern[] = {static_cast<std::byte>(value)};
  return fill(stream, place, extent, pattern);
}

Done free_in_order(Stream& stream, uint64_t address) {
  Context& context = *stream.context();
  if (Done state = context.begin(Site::operation); !state) return state;
  const AllocationRef memory = context.system().memory().find_at(address);
  if (memory == nullptr || memory->kind != MemoryKind::device)
    return invalid("cannot free: " + context.system().memory().describe(address));
  return submit(stream, OperationRef(std::make_shared<FreeInOrder>(memory)));
}

Done free_in_order(Stream& stream, const AllocationRef& memory) {
  if (Done state = stream.context()->begin(Site::operation); !state) return state;
  return submit(stream, OperationRef(std::make_shared<FreeInOrder>(memory)));
}

}  // namespace heddle::runtime
