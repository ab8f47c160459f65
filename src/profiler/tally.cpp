#include "profiler/tally.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "exec/count_places.h"
#include "model/sector_cache.h"
#include "observe/texels.h"
#include "profiler/access_counts.h"
#include "profiler/classify.h"
#include "profiler/predication.h"

namespace heddle::profiler {

namespace {

constexpr uint32_t absent = 0xffffffff;
// What an instruction may have a group for: each of observe::Space, and textures.
constexpr unsigned spaces = 5, texture_space = 4;

std::size_t index(Counter counter) { return static_cast<std::size_t>(counter); }

bool is(const module::Instruction& instruction, isa::Opcode opcode) { return instruction.opcode == opcode; }

// The first counter of the group that an access belongs to.
Counter group_of(const module::Instruction& instruction, observe::Space space, observe::AccessKind kind) {
  const bool copies = is(instruction, isa::Opcode::cp);
  switch (space) {
    case observe::Space::constant: return Counter::constant_load_requests;
    case observe::Space::local:
      return kind == observe::AccessKind::load ? Counter::local_load_requests : Counter::local_store_requests;
    case observe::Space::shared:
      if (copies) return Counter::shared_copy_requests;
      return kind == observe::AccessKind::load    ? Counter::shared_load_requests
             : kind == observe::AccessKind::store ? Counter::shared_store_requests
                                                  : Counter::shared_atom_requests;
    case observe::Space::global: break;
  }
  if (copies) return Counter::global_copy_requests;
  if (kind == observe::AccessKind::load) return Counter::global_load_requests;
  if (kind == observe::AccessKind::store) return Counter::global_store_requests;
  return is(instruction, isa::Opcode::red) ? Counter::global_red_requests : Counter::global_atom_requests;
}

// Arguments and results of a call are told as accesses of the frame. The machine has them in registers (PTX
// ISA 7.1; by the counters of an H200 for kernels with calls, which have no local memory).
bool is_argument(const module::Image& image, const module::Instruction& instruction) {
  const isa::Word written = image.mnemonics[instruction.mnemonic].values[isa::Slot::space];
  return written == isa::Word::param || written == isa::Word::param_func;
}

std::size_t fields_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::device: return device_fields;
    case GroupKind::banked: return banked_fields;
    case GroupKind::broadcast: return broadcast_fields;
  }
  return 0;
}

}  // namespace

// What one thread was told.
class Tally::Part final : public observe::RepeatSink, public observe::TexelSink {
 public:
  Part(Tally& tally, const module::Image& image, const arch::Architecture& arch)
      : tally_(tally),
        image_(image),
        arch_(arch),
        functions_(image.functions.size()),
        texture_cache_(arch.memory.texture_cache_bytes[0]) {}

  void accesses(const observe::Access& told, uint64_t times) override {
    if (told.lanes == 0) return;
    Group& group = group_at(told);
    if (group.argument) return;
    if (group.joined.bytes == Joined::another) return;
    if (group.joined.bytes == 0) {
      add(group, told, times);
      return;
    }
    observe::Access whole = told;
    whole.bytes = group.joined.bytes;
    std::array<uint64_t, observe::warp_lanes> begins;
    if (group.joined.before != 0) {
      for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
        begins[lane] = told.addresses[lane] - group.joined.before;
      whole.addresses = begins.data();
    }
    add(group, whole, times);
  }

  bool wants_texels() const override { return tally_.accesses_; }
  void look(const observe::Look& look) override {
    if (look.block != looking_block_) {
      looking_block_ = look.block;
      texture_cache_.clear();
    }
    uint32_t& number = group_number(look.place, texture_space);
    if (number == absent) {
      number = static_cast<uint32_t>(groups_.size());
      Group& made = groups_.emplace_back();
      made.first = Counter::texture_fetch_requests;
      made.fields = looked_fields;
    }
    constexpr uint64_t sector_bytes = model::SectorCache::sector_bytes;
    sectors_.clear();
    for (const observe::Texel& texel : look.texels)
      for (uint64_t sector = texel.address / sector_bytes;
           sector <= (texel.address + texel.bytes - 1) / sector_bytes; ++sector)
        sectors_.push_back(sector);
    std::ranges::sort(sectors_);
    sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
    FieldCounts& counts = groups_[number].counts;
    const auto add = [&](LookedField field, uint64_t value) {
      counts[static_cast<std::size_t>(field)] += value;
    };
    add(LookedField::requests, look.lanes != 0 ? 1 : 0);
    add(LookedField::texels, look.texels.size());
    add(LookedField::sectors, sectors_.size());
    for (const uint64_t sector : sectors_)
      add(LookedField::missed_sectors, texture_cache_.find(sector) ? 0 : 1);
  }

  void count(observe::Place place, const observe::Count& count) override {
    OfFunction& function = functions_[place.function];
    if (function.counts.empty()) function.counts.resize(image_.functions[place.function].code.size());
    function.counts[place.instruction] += count;
  }

  // Adds what this thread was told of a function.
  void add_counts(uint32_t function, std::vector<observe::Count>& sum) const {
    const std::vector<observe::Count>& own = functions_[function].counts;
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
  }
  bool accessed(uint32_t function, uint32_t instruction) const {
    const std::vector<uint32_t>& groups = functions_[function].groups;
    if (groups.empty()) return false;
    const auto first = groups.begin() + std::ptrdiff_t{instruction} * spaces;
    return std::any_of(first, first + spaces, [](uint32_t group) { return group != absent; });
  }
  void add_accesses(uint32_t function, uint32_t instruction, Counts& sum) const {
    if (!accessed(function, instruction)) return;
    for (unsigned space = 0; space < spaces; ++space) {
      const uint32_t number = functions_[function].groups[std::size_t{instruction} * spaces + space];
      if (number == absent) continue;
      const Group& group = groups_[number];
      for (std::size_t field = 0; field < group.fields; ++field)
        sum[index(group.first) + field] += group.counts[field];
    }
  }
  bool reached(uint32_t function) const {
    return !functions_[function].counts.empty() || !functions_[function].groups.empty();
  }

 private:
  struct Group {
    Counter first{};
    std::size_t fields = 0;
    Joined joined;
    bool argument = false;  // of a call
    FieldCounts counts{};
  };
  struct OfFunction {
    std::vector<observe::Count> counts;  // by instruction
    std::vector<uint32_t> groups;        // by instruction and space
  };

  void add(Group& group, const observe::Access& access, uint64_t times) const {
    const FieldCounts once = count_access(arch_, access);
    for (std::size_t i = 0; i < most_fields; ++i) group.counts[i] += once[i] * times;
  }

  // absent: there is none yet.
  uint32_t& group_number(observe::Place place, unsigned space) {
    OfFunction& function = functions_[place.function];
    if (function.groups.empty())
      function.groups.assign(image_.functions[place.function].code.size() * spaces, absent);
    return function.groups[place.instruction * spaces + space];
  }
  Group& group_at(const observe::Access& access) {
    const std::vector<module::Instruction>& code = image_.functions[access.place.function].code;
    uint32_t& number = group_number(access.place, static_cast<unsigned>(access.space));
    if (number == absent) {
      number = static_cast<uint32_t>(groups_.size());
      Group& made = groups_.emplace_back();
      made.first = group_of(code[access.place.instruction], access.space, access.kind);
      made.fields = fields_of(kind_of(access.space));
      made.argument = is_argument(image_, code[access.place.instruction]);
      if ((made.first == Counter::shared_load_requests || made.first == Counter::shared_store_requests) &&
          joins_accesses(arch_))
        made.joined = tally_.joined(access.place.function).of(access.place.instruction);
    }
    return groups_[number];
  }

  Tally& tally_;
  const module::Image& image_;
  const arch::Architecture& arch_;
  std::vector<OfFunction> functions_;
  std::deque<Group> groups_;
  model::SectorCache texture_cache_;
  std::array<uint32_t, 3> looking_block_{};  // whose it is
  std::vector<uint64_t> sectors_;            // of a look
};

Tally::Tally(const module::Image& image, const arch::Architecture& arch, bool accesses)
    : image_(image), arch_(arch), accesses_(accesses) {}
Tally::~Tally() = default;

observe::RepeatSink& Tally::sink() {
  const std::lock_guard lock(mutex_);
  return *parts_.emplace_back(std::make_unique<Part>(*this, image_, arch_));
}

const JoinedAccesses& Tally::joined(uint32_t function) {
  const std::lock_guard lock(mutex_);
  if (joined_.empty()) joined_.resize(image_.functions.size());
  std::unique_ptr<JoinedAccesses>& loads = joined_[function];
  if (!loads) loads = std::make_unique<JoinedAccesses>(image_, image_.functions[function]);
  return *loads;
}

namespace {

// A warp that comes to an instruction with all lanes switched off accesses nothing, and is an instruction all
// the same. Its space is the one that is written; without one, global memory.
void count_switched_off(const module::Image& image, const module::Instruction& instruction, uint64_t warps,
                        Counts& counts) {
  if (warps == 0) return;
  const isa::Word written = image.mnemonics[instruction.mnemonic].values[isa::Slot::space];
  observe::Space space = observe::Space::global;
  switch (written) {
    case isa::Word::shared:
    case isa::Word::shared_cta:
    case isa::Word::shared_cluster: space = observe::Space::shared; break;
    case isa::Word::local: space = observe::Space::local; break;
    case isa::Word::const_: space = observe::Space::constant; break;
    default: break;
  }
  observe::AccessKind kind{};
  switch (instruction.opcode) {
    case isa::Opcode::ld:
    case isa::Opcode::ldu:
    case isa::Opcode::cp: kind = observe::AccessKind::load; break;
    case isa::Opcode::st: kind = observe::AccessKind::store; break;
    case isa::Opcode::atom:
    case isa::Opcode::red: kind = observe::AccessKind::change; break;
    default: return;
  }
  static_assert(static_cast<unsigned>(DeviceField::off) == static_cast<unsigned>(BankedField::off));
  static_assert(static_cast<unsigned>(DeviceField::off) == static_cast<unsigned>(BroadcastField::off));
  counts[index(group_of(instruction, space, kind)) + static_cast<std::size_t>(DeviceField::off)] += warps;
}

// A branch of a kernel to where it ends: the assembler ends the lanes instead (an H200's vectorAdd has no
// branch at all, nor has a GTX 950's).
bool ends_lanes(const module::Function& function, const module::Instruction& instruction) {
  if (!function.entry || instruction.guard == module::none || instruction.operand_count == 0) return false;
  const module::Operand& to = function.operands[instruction.first_operand];
  if (to.kind != module::OperandKind::label || to.value >= function.code.size()) return false;
  const module::Instruction& there = function.code[to.value];
  return there.guard == module::none && (is(there, isa::Opcode::ret) || is(there, isa::Opcode::exit));
}

void count_instruction(const module::Image& image, const module::Function& function,
                       const module::Instruction& instruction, const observe::Count& came,
                       const observe::Count& own, const observe::Count* predicate, bool follows,
                       std::optional<Counter> habit, Counts& counts) {
  const bool guarded = instruction.guard != module::none;
  const uint64_t on = guarded ? own.taken_threads : came.threads;
  const observe::Count& issued = predicate != nullptr ? *predicate : came;
  count_class(classify(image, instruction), issued.warps, issued.threads, on, counts);
  if (habit) counts[index(*habit)] += on;
  if (is(instruction, isa::Opcode::bra) && !ends_lanes(function, instruction)) {
    counts[index(Counter::branches)] += came.warps;
    counts[index(Counter::divergent_branches)] += own.parted;
  }
  const uint64_t taken = guarded ? own.taken_warps : came.warps;
  if (!follows) count_switched_off(image, instruction, issued.warps - taken, counts);
}

}  // namespace

void Tally::each(const std::function<void(observe::Place, const Counts&)>& f) const {
  for (uint32_t function = 0; function < image_.functions.size(); ++function)
    if (std::ranges::any_of(parts_, [&](const auto& part) { return part->reached(function); }))
      each_of(function, f);
}

void Tally::each_of(uint32_t f, const std::function<void(observe::Place, const Counts&)>& tell) const {
  const module::Function& function = image_.functions[f];
  std::vector<observe::Count> sums(function.code.size());
  for (const auto& part : parts_) part->add_counts(f, sums);
  const Habits habits(image_, function);
  const Predication predication(image_, function, arch_.capability);
  observe::Count came, predicate;
  uint32_t predicate_end = 0;  // of what stands under it
  for (uint32_t i = 0; i < function.code.size(); ++i) {
    if (exec::begins_count(function, i)) came = sums[i];
    if (const uint32_t end = predication.end_of(i); end != 0) {  // no branch is left
      predicate = came;
      predicate_end = end;
      continue;
    }
    const observe::Count* under = i < predicate_end ? &predicate : nullptr;
    const bool reached = (under != nullptr ? *under : came).warps != 0;
    if (!reached && std::ranges::none_of(parts_, [&](const auto& part) { return part->accessed(f, i); }))
      continue;
    Counts counts{};
    const bool follows =
        f < joined_.size() && joined_[f] != nullptr && joined_[f]->of(i).bytes == Joined::another;
    if (reached)
      count_instruction(image_, function, function.code[i], came, sums[i], under, follows, habits.of(i),
                        counts);
    for (const auto& part : parts_) part->add_accesses(f, i, counts);
    tell({f, i}, counts);
  }
}

}  // namespace heddle::profiler
