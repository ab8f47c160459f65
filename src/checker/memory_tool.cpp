#include "checker/memory_tool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <string_view>

#include "checker/ahead_of_choice.h"
#include "checker/place_text.h"
#include "checker/record.h"
#include "checker/rows/rows.h"
#include "checker/windows.h"
#include "isa/isa.h"
#include "runtime/context.h"
#include "runtime/module.h"
#include "runtime/system.h"

namespace heddle::checker {

namespace {

const char* space_text(module::Space space) {
  switch (space) {
    case module::Space::shared: return "__shared__";
    case module::Space::local: return "__local__";
    case module::Space::const_: return "__constant__";
    case module::Space::param: return "__param__";
    default: return "__global__";
  }
}

std::string by_thread(const std::array<uint32_t, 3>& thread, const std::array<uint32_t, 3>& block) {
  return "\n    by thread " + triple(thread) + " in block " + triple(block);
}

std::array<uint32_t, 3> array_of(const exec::Dim3& d) { return {d.x, d.y, d.z}; }

std::vector<const void*> stack_of(const runtime::LaunchFacts& facts) {
  return facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>();
}

constexpr const char* at_launch = "at kernel launch time";

}  // namespace

// Of one launch; its sink serves all threads that run it.
class MemoryTool::Watch final : public runtime::LaunchWatch, public observe::Observer, private observe::Sink {
 public:
  Watch(MemoryTool& tool, const runtime::LaunchFacts& facts)
      : tool_(tool),
        image_(facts.launch.module->image),
        block_(facts.launch.shape.block),
        stack_(stack_of(facts)),
        settings_(tool.settings_),
        context_(facts.context),
        function_(facts.launch.function),
        choices_(*image_),
        memory_(*facts.launch.memory),
        space_(facts.context.system().space()),
        looks_at_shared_(settings_.initcheck && settings_.shared_init &&
                         facts.launch.shape.cluster.count() <= 1),
        looks_at_local_(settings_.initcheck && settings_.local_init),
        shared_bytes_(image_->functions[facts.launch.function].static_shared_bytes +
                      facts.launch.shape.dynamic_shared) {
    if (settings_.memcheck && tool_.stream_memory_ != nullptr && facts.submission != nullptr &&
        tool_.stream_memory_->any()) {
      submission_ = *facts.submission;
      unready_ = tool_.stream_memory_->unready(submission_);
    }
    const std::lock_guard lock(tool_.running_mutex_);
    tool_.running_.insert(this);
  }
  ~Watch() override {
    const std::lock_guard lock(tool_.running_mutex_);
    tool_.running_.erase(this);
  }

  observe::Observer* observer() override { return this; }
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::accesses | observe::spares_windows |
                                       (looks_at_local_ ? 0 : observe::spares_private) |
                                       (looks_at_shared_ ? 0 : observe::spares_shared) |
                                       (looks_at_local_ || looks_at_shared_ ? observe::syncs : 0) |
                                       (settings_.initcheck ? observe::in_order : 0));
  }
  observe::Sink& sink() override { return *this; }
  void ended(const runtime::LaunchEnd& end) override {
    if (settings_.memcheck && end.failure != nullptr) tool_.fault(end, stack_);
    std::vector<uint64_t> touched;
    for (const std::atomic<uint64_t>& one : touched_)
      if (const uint64_t begin = one.load(); begin != 0) touched.push_back(begin);
    if (!touched.empty()) tool_.stream_memory_->used(submission_, touched, "kernel launch time");
    // It ran to its end, on a device whose memory may have been another's by then.
    if (refused_.load() && end.failure == nullptr && !settings_.contexts_stay) {
      exec::Fault fault;
      fault.kernel = fault.function = image_->functions[function_].name;
      fault.detail = "memory that is not there by the order of streams, or that no device would notice";
      context_.fail(runtime::fault_error(std::move(fault)));
    }
  }
  // What was found out about memory may have changed.
  void close_windows() { windows_.close(); }

 private:
  void access(const observe::Access& access) override {
    if (access.space == observe::Space::shared && looks_at_shared_) return shared(access);
    if (access.space == observe::Space::local && looks_at_local_) return local(access);
    if (access.space != observe::Space::global) return;
    if (!unready_.empty()) [[unlikely]] {
      if (const observe::Mask refused = refuse(access); refused != 0) {
        observe::Access rest = access;
        rest.lanes &= ~refused;
        if (rest.lanes != 0) look_at(rest);
        return;
      }
    }
    look_at(access);
  }

  // Lanes that touch what is not there by then, and are told so.
  observe::Mask refuse(const observe::Access& access) {
    observe::Mask refused = 0;
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      for (const StreamMemory::Range& range : unready_) {
        if (!range.has(access.addresses[lane], access.bytes)) continue;
        refused |= observe::Mask{1} << lane;
        refused_.store(true);
        report(access, lane, range.freed ? "out of bounds" : "potentially accessed before it is allocated",
               range.freed);
        break;
      }
    }
    return refused;
  }

  // Of memory in the order of streams it is kept who used it.
  void touches(uint64_t address) {
    if (submission_.number == 0) return;
    for (std::atomic<uint64_t>& one : touched_) {
      uint64_t begin = one.load(std::memory_order_relaxed);
      if (begin == 0 && one.compare_exchange_strong(begin, address)) return;
      if (begin == address) return;
    }
  }

  void look_at(const observe::Access& access) {
    // All in one area: that is so mostly.
    const auto [lowest, highest, bits] = rows_.extent(access.addresses, access.lanes);
    const uint64_t generation = tool_.areas_.generation();
    Area* area = find(lowest);
    if (area != nullptr && !area->is_divided() && highest + access.bytes <= area->end() &&
        highest + access.bytes > highest && bits % std::bit_floor(access.bytes) == 0) {
      inside(access, *area, lowest, highest);
      // Whatever this instruction does in this area is right.
      if (access.window != nullptr && is_kept(*area, access.kind) && (!tracks(*area) || area->all_written()))
        windows_.open(*access.window, access.bytes, *area, generation);
      return;
    }
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      one(access, lane);
    }
  }

  observe::Window* windows(std::size_t count) override { return windows_.add(count); }

  // Shared memory lives as long as its block, and local memory is forgotten with it.
  void sync(const observe::Sync& sync) override {
    if (!looks_at_shared_ && !looks_at_local_) return;
    const auto threads = static_cast<uint32_t>(std::popcount(sync.lanes));
    if (sync.kind == observe::SyncKind::begin) {
      blocks_[sync.block].written.resize(shared_bytes_);
    } else if (sync.kind == observe::SyncKind::exit) {
      // Of a block whose later warps have not begun yet all that is known is kept.
      SharedBlock& block = blocks_[sync.block];
      block.ended += threads;
      if (block.ended == block_.count()) blocks_.erase(sync.block);
    }
  }

  // Of a kernel's own arrays. Arguments and results of calls lie there, too, which nobody is told to write:
  // they are not looked at, nor what functions read. Of a wider access than what was written a part may be
  // padding. What is read ahead of a choice is nobody's value where it is not chosen.
  void local(const observe::Access& access) {
    constexpr uint64_t most = 1 << 16;  // bytes of a thread
    const module::Instruction& instruction =
        image_->functions[access.place.function].code[access.place.instruction];
    const isa::Word space = image_->mnemonics[instruction.mnemonic].values[isa::Slot::space];
    const bool reads = access.kind != observe::AccessKind::store && access.place.function == function_ &&
                       !isa::spelling(space).starts_with("param") && !choices_.loads(access.place);
    std::vector<std::vector<bool>>& threads = blocks_[access.block].locals;
    if (threads.empty()) threads.resize(block_.count());
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const uint64_t begin = access.addresses[lane], end = begin + access.bytes;
      if (end > most) continue;
      std::vector<bool>& written = threads[access.warp * 32 + lane];
      if (written.size() < end) written.resize(std::min(most, std::bit_ceil(end)));
      const auto first = written.begin() + static_cast<std::ptrdiff_t>(begin),
                 last = written.begin() + static_cast<std::ptrdiff_t>(end);
      if (reads && std::find(first, last, true) == last) uninitialised(access, lane);
      if (access.kind != observe::AccessKind::load) std::fill(first, last, true);
    }
  }

  void shared(const observe::Access& access) {
    std::vector<bool>& written = blocks_[access.block].written;
    const module::Instruction& instruction =
        image_->functions[access.place.function].code[access.place.instruction];
    const std::string_view id = isa::info(instruction.form).id;
    // Barriers in memory are set up by their own instructions.
    const bool reads =
        access.kind != observe::AccessKind::store && id.find("mbarrier") == std::string_view::npos;
    // Of an element that is loaded a part may be padding: structures are copied by larger pieces than their
    // members.
    const isa::SlotValues& words = image_->mnemonics[instruction.mnemonic].values;
    const auto piece =
        static_cast<std::ptrdiff_t>(id == "ld" ? std::max(isa::info(words.type()).bits / 8U, 1U) : 1U);
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const uint64_t begin = access.addresses[lane], end = begin + access.bytes;
      if (end > written.size()) continue;
      const auto first = written.begin() + static_cast<std::ptrdiff_t>(begin),
                 last = written.begin() + static_cast<std::ptrdiff_t>(end);
      bool unset = false;
      for (auto at = first; reads && at < last; at += piece)
        unset |= std::find(at, std::min(at + piece, last), true) == std::min(at + piece, last);
      if (unset) uninitialised(access, lane);
      if (access.kind != observe::AccessKind::load) std::fill(first, last, true);
    }
  }

  bool tracks(const Area& area) const {
    return settings_.initcheck && settings_.global_init && area.watches_writes();
  }

  Area* find(uint64_t address) {
    // The areas that were found last, of this thread.
    struct Found {
      const void* watch = nullptr;
      uint64_t generation = 0;
      std::array<Area*, 4> areas{};
      unsigned next = 0;
    };
    static thread_local Found found;
    const uint64_t generation = tool_.areas_.generation();
    if (found.watch != this || found.generation != generation) found = {this, generation, {}, 0};
    for (Area* area : found.areas)
      if (area != nullptr && address >= area->begin() && address < area->end()) return area;
    Area* area = tool_.areas_.find(address);
    if (area != nullptr) found.areas[found.next++ % found.areas.size()] = area;
    return area;
  }

  // An instruction does one or the other, so it is told once of each lane, or never.
  static bool is_kept(const Area& area, observe::AccessKind kind) {
    switch (area.use()) {
      case runtime::KernelUse::reads: return kind == observe::AccessKind::load;
      case runtime::KernelUse::writes: return kind == observe::AccessKind::store;
      default: return true;
    }
  }

  void inside(const observe::Access& access, Area& area, uint64_t lowest, uint64_t highest) {
    touches(area.begin());
    if (!is_kept(area, access.kind)) [[unlikely]]
      for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1)
        report(access, static_cast<unsigned>(std::countr_zero(rest)),
               area.use() == runtime::KernelUse::reads
                   ? "in memory that kernels only read (CL_MEM_READ_ONLY)"
                   : "in memory that kernels only write (CL_MEM_WRITE_ONLY)");
    if (!tracks(area)) return;
    const bool row =
        highest - lowest == uint64_t{static_cast<unsigned>(std::popcount(access.lanes)) - 1} * access.bytes;
    const bool reads = access.kind != observe::AccessKind::store;
    if (reads && row && area.is_written(lowest, highest - lowest + access.bytes)) {
      if (access.kind == observe::AccessKind::change) area.write(lowest, highest - lowest + access.bytes);
      return;
    }
    for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const uint64_t address = access.addresses[lane];
      if (reads && !area.is_written(address, access.bytes)) uninitialised(access, lane);
      if (access.kind != observe::AccessKind::load) area.write(address, access.bytes);
    }
  }

  void one(const observe::Access& access, unsigned lane) {
    const uint64_t address = access.addresses[lane];
    Area* area = find(address);
    // Vectors are aligned to their size, other accesses to their elements': the executors see to it.
    if (address % std::bit_floor(access.bytes) != 0) return report(access, lane, "misaligned");
    if (area != nullptr && area->is_divided()) return in_heap(access, lane);
    if (area != nullptr && access.bytes <= area->end() - address)
      return inside({access.place, access.block, access.warp, observe::Mask{1} << lane, access.bytes,
                     access.space, access.kind, access.addresses},
                    *area, address, address);
    // The runtime's own, where blocks of a cooperative launch meet, is nobody's allocation.
    if (area == nullptr && !space_.contains(address) &&
        memory_.accessible(address, access.bytes, access.kind != observe::AccessKind::load))
      return;
    if (submission_.number != 0)
      if (const auto begin = tool_.stream_memory_->outlives(address, submission_)) return touches(*begin);
    report(access, lane, "out of bounds");
  }

  // Of the kernels' heap, which a device has as one piece: what malloc gave, to the byte.
  void in_heap(const observe::Access& access, unsigned lane) {
    const uint64_t address = access.addresses[lane];
    const std::shared_ptr<Area> piece = tool_.pieces_.hold(address);
    if (piece == nullptr || access.bytes > piece->end() - address)
      return report(access, lane, "out of bounds");
    if (!tracks(*piece)) return;
    if (access.kind != observe::AccessKind::store && !piece->is_written(address, access.bytes))
      uninitialised(access, lane);
    if (access.kind != observe::AccessKind::load) piece->write(address, access.bytes);
  }

  void report(const observe::Access& access, unsigned lane, const char* what, bool freed = false) {
    if (!settings_.memcheck) return;
    // A device would not notice all of it; NVIDIA's tool ends the kernel.
    if (settings_.launches_fail) refused_.store(true);
    if (!tool_.reporter_->wants_error()) return;
    const uint64_t address = access.addresses[lane];
    const char* kind = access.kind == observe::AccessKind::load    ? "read"
                       : access.kind == observe::AccessKind::store ? "write"
                                                                   : "atomic";
    const uint32_t thread = access.warp * 32 + lane;
    const std::string text =
        std::string("Invalid __global__ ") + kind + " of size " + std::to_string(access.bytes) + " bytes";
    const std::string record =
        value("kind", "Precise") + value("level", "Error") +
        who_record(thread_index(block_, thread), access.block) +
        element("what", value("text", text + " is " + what) + value("space", "__global__") +
                            value("size", access.bytes) + value("direction", kind) + value("error", what) +
                            value("address", hex(address))) +
        where_record(*image_, access.place) + host_stack_record(stack_, "kernel launch time");
    const CallText calls = call_text(*image_, access.place);
    tool_.reporter_->tell(MessageKind::error,
                          text + "\n    at " + calls.at +
                              by_thread(thread_index(block_, thread), access.block) +
                              tool_.neighbour(address, "Access to ", what, freed) + calls.frames +
                              host_frames(stack_, at_launch),
                          {}, false, 0, 0, record);
  }

  void uninitialised(const observe::Access& access, unsigned lane) {
    if (!tool_.reporter_->wants_error()) return;
    const uint32_t thread = access.warp * 32 + lane;
    const std::string text = std::string("Uninitialized ") +
                             (access.space == observe::Space::shared  ? "__shared__"
                              : access.space == observe::Space::local ? "__local__"
                                                                      : "__global__") +
                             " memory read of size " + std::to_string(access.bytes) + " bytes";
    const std::string record =
        value("kind", "Initcheck") + who_record(thread_index(block_, thread), access.block) +
        element("what", value("text", text) + value("address", hex(access.addresses[lane])) +
                            value("size", access.bytes)) +
        where_record(*image_, access.place) + host_stack_record(stack_, "kernel launch time");
    const CallText calls = call_text(*image_, access.place);
    tool_.reporter_->tell(MessageKind::error,
                          text + "\n    at " + calls.at +
                              by_thread(thread_index(block_, thread), access.block) + "\n    Address " +
                              hex(access.addresses[lane]) + calls.frames + host_frames(stack_, at_launch),
                          {}, false, 0, 0, record);
  }

  MemoryTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const exec::Dim3 block_;
  const std::vector<const void*> stack_;
  const Settings& settings_;
  runtime::Context& context_;
  const uint32_t function_;
  runtime::Submission submission_;  // number 0: nobody asks whose memory it uses
  std::vector<StreamMemory::Range> unready_;
  std::array<std::atomic<uint64_t>, 64> touched_{};  // where allocations begin
  std::atomic<bool> refused_{false};
  AheadOfChoice choices_;
  const exec::GuestMemory& memory_;
  const runtime::AddressSpace& space_;
  const rows::Level& rows_ = rows::of_host();
  Windows windows_{tool_.areas_};
  struct SharedBlock {
    uint32_t ended = 0;                     // threads
    std::vector<bool> written;              // by byte
    std::vector<std::vector<bool>> locals;  // by thread and byte
  };
  const bool looks_at_shared_, looks_at_local_;
  const uint32_t shared_bytes_;
  std::map<std::array<uint32_t, 3>, SharedBlock> blocks_;  // those that run
};

MemoryTool::MemoryTool(const Settings& settings, std::shared_ptr<Reporter> reporter,
                       std::shared_ptr<StreamMemory> stream_memory)
    : settings_(settings), reporter_(std::move(reporter)), stream_memory_(std::move(stream_memory)) {}

std::unique_ptr<runtime::LaunchWatch> MemoryTool::launch(const runtime::LaunchFacts& facts) {
  // Who looks for bytes that nobody wrote must see every kernel that writes.
  const bool wanted = filter_.wants(facts.kernel.function().name);
  if (!wanted && !settings_.initcheck) return nullptr;
  if (!settings_.memcheck && !settings_.initcheck) return nullptr;
  return std::make_unique<Watch>(*this, facts);
}

std::string MemoryTool::neighbour(uint64_t address, const char* verb, const char* what, bool freed) const {
  std::string text = std::string("\n    ") + verb + hex(address) + " is " + what;
  const Area* around = areas_.find(address);
  const auto near = (around != nullptr && around->is_divided() ? pieces_ : areas_).nearest(address);
  if (!near) return text;
  const Area& area = *near->area;
  const std::string allocation = std::string(near->gone || freed ? "freed" : "nearest") + " allocation at " +
                                 hex(area.begin()) + " of size " + with_commas(area.bytes()) + " bytes";
  if (address >= area.begin() && address < area.end()) return text + "\n    and is inside the " + allocation;
  const bool before = address < area.begin();
  return text + "\n    and is " + with_commas(before ? area.begin() - address : address - area.end() + 1) +
         " bytes " + (before ? "before" : "after") + " the " + allocation;
}

// A kernel that could not go on. Accesses to global memory were told as they were made.
void MemoryTool::fault(const runtime::LaunchEnd& end, const std::vector<const void*>& stack) {
  if (end.failure->fault == nullptr) return;
  const exec::Fault& f = *end.failure->fault;
  std::string at = function_text(f.function) + "+" + hex(uint64_t{f.instruction} * 16);
  if (!f.file.empty()) at += " in " + f.file.substr(f.file.rfind('/') + 1) + ":" + std::to_string(f.line);
  const std::string who = by_thread(array_of(f.thread), array_of(f.block));
  if (f.kind == exec::FaultKind::trap) {
    reporter_->tell(MessageKind::error,
                    "Trace/breakpoint trap\n    at " + at + who + host_frames(stack, at_launch), {}, false, 0,
                    0,
                    value("kind", "Imprecise") + value("level", "Error") +
                        who_record(array_of(f.thread), array_of(f.block)) +
                        element("what", value("exception", "Trace/breakpoint trap") +
                                            value("pc", hex(uint64_t{f.instruction} * 16))) +
                        host_stack_record(stack, "kernel launch time"));
    return;
  }
  const bool memory =
      f.kind == exec::FaultKind::illegal_address || f.kind == exec::FaultKind::misaligned_address;
  if (!memory) return;
  if (f.space == module::Space::global || f.space == module::Space::generic) return;
  reporter_->tell(
      MessageKind::error,
      std::string("Invalid ") + space_text(f.space) + (f.write ? " write" : " read") + " of size " +
          std::to_string(f.bytes) + " bytes\n    at " + at + who + "\n    Access to " + hex(f.address) +
          " is " + (f.kind == exec::FaultKind::misaligned_address ? "misaligned" : "out of bounds") +
          host_frames(stack, at_launch),
      {}, false, 0, 0,
      value("kind", "Precise") + value("level", "Error") + who_record(array_of(f.thread), array_of(f.block)) +
          element("what", value("space", space_text(f.space)) + value("size", f.bytes) +
                              value("direction", f.write ? "write" : "read") +
                              value("address", hex(f.address))) +
          host_stack_record(stack, "kernel launch time"));
}

// The first of 16 bytes, as they are aligned, of which nobody wrote one: less may be what lies between the
// members of a structure. A piece that is shorter counts as a whole.
std::optional<uint64_t> MemoryTool::never_written(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t most_padding = 16;
  const Area* area = areas_.find(address);
  if (area == nullptr || !area->watches_writes() || area->all_written()) return std::nullopt;
  const uint64_t end = std::min(address + bytes, area->end());
  for (uint64_t at = address; at < end;) {
    const uint64_t next = std::min(end, (at / most_padding + 1) * most_padding);
    if (next - at == std::min(bytes, most_padding) && area->none_written(at, next - at)) return at;
    at = next;
  }
  return std::nullopt;
}

void MemoryTool::copies_unwritten(const runtime::CopyFacts& facts) {
  if (facts.from == nullptr || facts.submission == nullptr || !settings_.global_init) return;
  const char* function = facts.submission->function;
  if (function == nullptr) return;  // of the runtime's own
  for (uint64_t slice = 0; slice < facts.slices; ++slice)
    for (uint64_t row = 0; row < facts.rows; ++row) {
      const uint64_t begin =
          facts.from->address + slice * facts.from->slice_pitch + row * facts.from->row_pitch;
      const auto address = never_written(begin, facts.row_bytes);
      if (!address) continue;
      const std::vector<const void*>& stack = facts.submission->stack;
      reporter_->tell(
          MessageKind::error,
          "Host API memory access error at host access to " + hex(facts.from->address) + " of size " +
              with_commas(facts.bytes()) + " bytes\n    Uninitialized access to " + hex(*address) +
              " on access by " + function + " source" + host_frames(stack, "at error"),
          {}, false, 0, 0,
          value("kind", "InitcheckApiError") + value("level", "Error") +
              element("what", value("text", "Host API uninitialized memory access") +
                                  value("accessAddress", facts.from->address) +
                                  value("accessSize", facts.bytes()) + value("errorAddress", *address)) +
              host_stack_record(stack, "error"));
      return;
    }
}

void MemoryTool::copied(const runtime::CopyFacts& facts) {
  if (!settings_.initcheck) return;
  copies_unwritten(facts);
  for (uint64_t slice = 0; slice < facts.slices; ++slice)
    for (uint64_t row = 0; row < facts.rows; ++row) {
      const auto place = [&](const runtime::TouchedPlace& side) {
        return side.address + slice * side.slice_pitch + row * side.row_pitch;
      };
      const uint64_t to = place(facts.to);
      Area* target = areas_.find(to);
      if (target == nullptr) continue;
      const uint64_t bytes = std::min(facts.row_bytes, target->end() - to);
      const Area* source = facts.from == nullptr ? nullptr : areas_.find(place(*facts.from));
      if (source == nullptr || source->is_written(place(*facts.from), bytes)) {
        target->write(to, bytes);
        continue;
      }
      // What was never written is copied as such.
      for (uint64_t at = 0; at < bytes; ++at)
        if (source->is_written(place(*facts.from) + at, 1))
          target->write(to + at, 1);
        else
          target->unwrite(to + at, 1);
      close_windows();
    }
}

// A library's work. What it reads of a matrix may be a part of it, so of what it reads some must have been
// written, not all.
void MemoryTool::worked(const runtime::WorkFacts& facts) {
  if (!filter_.wants(facts.name) && !settings_.initcheck) return;
  const std::vector<const void*> stack =
      facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>();
  if (settings_.memcheck && facts.refused != nullptr) {
    // The first byte beyond its allocation.
    uint64_t address = facts.refused->address;
    if (const Area* area = areas_.find(address); area != nullptr) address = area->end();
    reporter_->tell(MessageKind::error,
                    std::string("Invalid __global__ ") + (facts.refused->write ? "write" : "read") +
                        " of size " + with_commas(facts.refused->row_bytes) + " bytes\n    at " + facts.name +
                        ", of a library" + neighbour(address, "Access to ", "out of bounds") +
                        host_frames(stack, at_launch));
  }
  if (!settings_.initcheck || !settings_.global_init) return;
  for (const runtime::TouchedRows& touched : facts.touched) {
    Area* area = areas_.find(touched.address);
    if (area == nullptr || !area->watches_writes()) continue;
    bool written = false;
    for (uint64_t row = 0; row < touched.rows; ++row) {
      const uint64_t address = touched.address + row * touched.pitch;
      if (address >= area->end()) break;
      const uint64_t bytes = std::min(touched.row_bytes, area->end() - address);
      if (touched.write)
        area->write(address, bytes);
      else
        written = !area->none_written(address, bytes);
      if (written) break;
    }
    if (touched.write || written) continue;
    reporter_->tell(MessageKind::error, "Uninitialized __global__ memory read of size " +
                                            with_commas(touched.row_bytes * touched.rows) +
                                            " bytes\n    at " + facts.name + ", of a library\n    Address " +
                                            hex(touched.address) + host_frames(stack, at_launch));
  }
}

void MemoryTool::allocated(const runtime::Allocation& allocation) {
  const bool watches_writes = settings_.initcheck && allocation.kind == runtime::MemoryKind::device;
  areas_.add(std::make_shared<Area>(allocation, watches_writes));
}

void MemoryTool::released(const runtime::Allocation& allocation) {
  areas_.remove(allocation.address);
  close_windows();
}

void MemoryTool::heap_allocated(uint64_t address, uint64_t bytes) {
  Area* heap = areas_.find(address);
  if (heap == nullptr) return;
  heap->divide();
  runtime::Allocation piece;
  piece.kind = runtime::MemoryKind::heap;
  piece.address = address;
  piece.bytes = bytes;
  pieces_.add(std::make_shared<Area>(piece, settings_.initcheck));
}

void MemoryTool::heap_released(uint64_t address) { pieces_.remove(address); }

void MemoryTool::close_windows() {
  const std::lock_guard lock(running_mutex_);
  for (Watch* watch : running_) watch->close_windows();
}

void MemoryTool::tell_leaks() const {
  for (const auto& area : areas_.all()) {
    if (area->kind() != runtime::MemoryKind::device) continue;
    reporter_->tell(MessageKind::leak,
                    "Leaked " + with_commas(area->bytes()) + " bytes at " + hex(area->begin()) +
                        host_frames(area->stack(), "at allocation time"),
                    {}, false, 0, area->bytes(),
                    value("kind", "Leak") +
                        element("what", value("text", "Leaked " + with_commas(area->bytes()) + " bytes") +
                                            value("address", hex(area->begin())) +
                                            value("size", area->bytes()) + value("type", "generic")) +
                        host_stack_record(area->stack(), "allocation time"));
  }
}

}  // namespace heddle::checker
