#include "exec/jit/launch/faults.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "exec/jit/abi/local_layout.h"
#include "exec/jit/launch/worker.h"
#include "exec/jit/launch/x86_operand.h"
#include "exec/memory_map.h"

namespace heddle::exec::jit {

namespace {

constexpr uint64_t widest_access = 64;
constexpr uint64_t near_stack = uint64_t{64} << 10;

// What may be touched is decided by pages. A wide access that reaches into a forbidden page is reported with
// some byte there, not always the first (Intel's masked stores across two pages): only the page can be relied
// on.
constexpr uint64_t host_page = 4096;
uint64_t page_of(uint64_t address) { return address & ~(host_page - 1); }

struct Lanes {  // of the group that a machine instruction works for
  bool one = false, contiguous = false;
  uint32_t first = 0;
  uint32_t step = 0;  // bytes between them, where they are further apart than one access
  std::optional<uint64_t> address = std::nullopt;  // of the one lane, when known
  uint32_t element = 0;                            // of its run
};

bool is_no_address(uint64_t address) {  // bits 47 to 63, or 56 to 63, differ
  const auto top = static_cast<int64_t>(address) >> 47;
  return top != 0 && top != -1;
}

bool met(uint64_t address, const Trap& trap) {
  return trap.has_address ? page_of(address) == page_of(trap.address) : is_no_address(address);
}

// Of a piece of memory of each lane, the access that met the page of the trap in the order of the program:
// all lanes' first elements come first.
Lanes in_pieces(const AccessLanes& of, std::span<const Site> sites, uint32_t bytes, const Context& context,
                const Trap& trap, const std::optional<MemoryOperand>& operand) {
  const uint32_t lanes = 1U << of.log_lanes, elements = 1U << of.log_elements;
  const bool row = of.kind == AccessLanes::run_row, threads = of.kind == AccessLanes::row_pieces;
  if (bytes == 0 || (row && !operand) || lanes > std::size(context.addresses)) return {};
  // What rows of the block have lies row by row.
  const auto order = in_program_order(threads ? std::span<const Site>() : sites, elements);
  const uint32_t begin = of.first / lanes * lanes;
  for (const uint32_t e : order)
    for (uint32_t i = 0; i < lanes; ++i) {
      const uint64_t base =
          row ? operand->address + (int64_t{begin} + i - of.first) * elements * bytes : context.addresses[i];
      const uint64_t address = base + uint64_t{e} * bytes;
      if (!met(address, trap)) continue;
      if (threads) return {.one = true, .first = e * lanes + i, .address = address};
      return {.one = true, .first = begin + i, .address = address, .element = e};
    }
  return {};
}

// Of a place of each lane of a vector, the first that met the page of the trap, or is no address.
Lanes first_met(const AccessLanes& of, uint32_t bytes, const Context& context, const Trap& trap) {
  const uint64_t* const noted = context.addresses;
  const uint32_t active = of.all ? ~0U : context.active;
  for (uint32_t i = 0; i < 16; ++i) {
    if (((active >> (of.first + i) % 32) & 1) == 0) continue;
    const uint64_t begin = of.kind == AccessLanes::steps      ? noted[0] + i * noted[1]
                           : of.kind == AccessLanes::permuted ? noted[0] + (i ^ noted[1]) * bytes
                                                              : noted[i];
    const uint64_t last = begin + std::max(bytes, 1U) - 1;
    if (met(begin, trap) || (trap.has_address && met(last, trap)))
      return {.one = true, .first = of.first + i, .address = begin};
  }
  return {};
}

// Of lanes with a group of elements each, the first that met the page of the trap, whichever of the vector's
// instructions it was that did.
Lanes in_groups(const AccessLanes& of, const Trap& trap, const std::optional<MemoryOperand>& operand) {
  const uint32_t lanes = 1U << of.log_lanes, group = 1U << of.log_elements, begin = of.first & ~(lanes - 1);
  if (!operand) return {};
  const uint64_t row = operand->address - uint64_t{of.first - begin} * group;
  for (uint32_t i = 0; i < lanes && row % group == 0; ++i) {
    const uint64_t address = row + uint64_t{i} * group + of.step;
    if (met(address, trap)) return {.one = true, .first = begin + i, .address = address};
  }
  return {};
}

// `sites`: from the access's own on.
Lanes lanes_of(const AccessLanes& of, std::span<const Site> sites, uint32_t bytes, const Context& context,
               const Trap& trap, const std::optional<MemoryOperand>& operand) {
  switch (of.kind) {
    case AccessLanes::unknown: return {};
    case AccessLanes::one: return {.one = true, .first = of.first};
    case AccessLanes::first_active:
      return {.one = true, .first = static_cast<uint32_t>(std::countr_zero(context.active)) % 32};
    case AccessLanes::noted: return {.one = true, .first = context.lane};
    case AccessLanes::row: return {.contiguous = true, .first = of.first, .step = of.step};
    case AccessLanes::comb: return in_groups(of, trap, operand);
    case AccessLanes::addresses:
    case AccessLanes::steps:
    case AccessLanes::permuted: return first_met(of, bytes, context, trap);
    case AccessLanes::runs:
    case AccessLanes::run_row:
    case AccessLanes::row_pieces: return in_pieces(of, sites, bytes, context, trap, operand);
  }
  return {};
}

// The memory operand, when it agrees with what the host says.
std::optional<MemoryOperand> operand_of(const Trap& trap, const CompiledKernel& kernel) {
#if defined(__x86_64__)
  const Code* within = kernel.code_at(trap.pc);
  if (within == nullptr) return std::nullopt;
  const std::span<const std::byte> code{reinterpret_cast<const std::byte*>(trap.pc),
                                        std::min<std::size_t>(15, within->end() - trap.pc)};
  const auto operand = memory_operand(code, trap.registers);
  if (!operand) return std::nullopt;
  if (trap.has_address) {
    if (trap.address - operand->address >= widest_access) return std::nullopt;
  } else {
    // No address: one that no address can be.
    if (!is_no_address(operand->address)) return std::nullopt;
  }
  return operand;
#else
  static_cast<void>(trap), static_cast<void>(kernel);
  return std::nullopt;
#endif
}

class Explanation {
 public:
  Explanation(const Worker& worker, const Trap& trap)
      : worker_(worker),
        job_(worker.job()),
        context_(worker.context()),
        trap_(trap),
        kernel_(worker.kernel()),
        operand_(operand_of(trap, kernel_)) {}

  Incident explain() {
    Incident& incident = incident_;
    if (const Code* code = kernel_.code_at(trap_.pc)) {
      const Place place = code->place(trap_.pc);
      if (place.line != 0 && place.line <= kernel_.sites.size()) {
        incident.site = place.line - 1;
        find_access();
        if (place.column < kernel_.lanes.size())
          lanes_ = lanes_of(kernel_.lanes[place.column], std::span(kernel_.sites).subspan(incident.site),
                            access_.bytes, context_, trap_, operand_);
        incident.site += lanes_.element;
      }
    }
    switch (trap_.number) {
      case SIGSEGV:
      case SIGBUS: memory(); break;
      case SIGFPE:
        incident.kind = FaultKind::illegal_instruction;
        incident.detail = "the native code divided by zero";
        break;
      default:
        incident.kind = FaultKind::illegal_instruction;
        incident.detail = "the host does not know an instruction of the native code";
    }
    return std::move(incident);
  }

 private:
  // What the site's instruction accesses; or, when it is none that does, the load that became part of it.
  void find_access() {
    const module::Image& image = *job_.launch.module->image;
    access_ = access_of(image, kernel_.sites[incident_.site]);
    const bool fits = !trap_.knows_direction || (trap_.wrote ? access_.write : access_.read);
    if (access_.bytes != 0 && fits) return;
    const std::vector<uint32_t> loads = loads_used_by(image, kernel_, incident_.site);
    if (loads.empty() || (trap_.knows_direction && trap_.wrote)) return;
    access_ = access_of(image, kernel_.sites[loads.front()]);
    if (loads.size() == 1) {
      incident_.site = loads.front();
      return;
    }
    one_of_several_ = true;
    for (const uint32_t load : loads) {
      const SiteAccess other = access_of(image, kernel_.sites[load]);
      if (other.bytes != access_.bytes || other.space != access_.space) access_ = {};
    }
  }

  void memory() {
    Incident& incident = incident_;
    uint64_t host = operand_ && !lanes_.contiguous ? operand_->address : trap_.address;
    if (!trap_.has_address && operand_) host = operand_->address;
    if (lanes_.address) host = *lanes_.address;
    if (trap_.has_address && host - trap_.stack + near_stack < 2 * near_stack && !in_window(host)) {
      incident.kind = FaultKind::stack_overflow;
      incident.detail = "the native stack of the block's thread is full";
      return;
    }
    if (const auto offset = offset_in_row()) {
      host = operand_->address + *offset;
      if (step() <= 4)
        incident.thread = context_.first_thread + lanes_.first + static_cast<uint32_t>(*offset / step());
    }
    if (lanes_.one) incident.thread = context_.first_thread + lanes_.first;
    incident.bytes = access_.bytes;
    incident.write = access_.write;
    incident.space = access_.space;
    if (!operand_ && !trap_.has_address && !lanes_.address) {
      incident.detail = "an address that no memory can have";
    } else {
      // Native code has seen to alignment before, so where the access begins follows from any byte of it.
      if (std::has_single_bit(access_.bytes)) host &= ~(uint64_t{access_.bytes} - 1);
      place(host);
      incident.detail =
          describe_access(job_.launch, context_.cluster_rank, incident.kind, incident.space, incident.address,
                          incident.bytes, incident.write, job_.launch.local_bytes);
    }
    if (one_of_several_) incident.detail += "; where a value was read that this instruction uses";
    if (incident.site < kernel_.sites.size() && kernel_.sites[incident.site].turns != 0)
      incident.detail += "; in this turn of an unrolled loop or one of " +
                         std::to_string(kernel_.sites[incident.site].turns) + " like it";
    unknown_thread();
  }

  uint32_t step() const { return lanes_.step != 0 ? lanes_.step : access_.bytes; }

  void unknown_thread() {
    if (incident_.thread) return;
    incident_.detail += "; by this thread or one of those behind it";
  }

  bool in_window(uint64_t host) const { return worker_.shared_address_of(host) || worker_.in_local(host); }

  // The host's address as the program sees it.
  void place(uint64_t host) {
    Incident& incident = incident_;
    module::Space space = access_.space;
    if (space == module::Space::generic) {
      space = module::Space::global;
      if (worker_.shared_address_of(host)) space = module::Space::shared;
      if (worker_.in_local(host)) space = module::Space::local;
    }
    incident.space = space;
    incident.address = host;
    const WindowMap& window = windows(job_.launch.module->image->address_bits);
    switch (space) {
      case module::Space::shared:
        incident.address =
            worker_.shared_address_of(host).value_or(host - reinterpret_cast<uintptr_t>(context_.shared));
        incident.kind = kind_in_cluster(incident.address);
        break;
      case module::Space::local: {
        incident.address -= reinterpret_cast<uintptr_t>(context_.local);
        if (kernel_.local_granule != 0) {
          incident.address =
              local_place(incident.address, context_.local_stride, kernel_.local_granule).offset;
          break;
        }
        const uint32_t thread = incident.thread.value_or(context_.first_thread + lanes_.first);
        incident.address -= thread * context_.local_stride;
        break;
      }
      case module::Space::param:
        incident.address += window.param_base - reinterpret_cast<uintptr_t>(context_.parameters);
        break;
      default: break;
    }
  }

  // Of another block's memory this is an illegal instruction, where the access is one of the own (step.cpp of
  // the reference executor).
  FaultKind kind_in_cluster(uint64_t address) const {
    const bool is_other =
        context_.cluster_blocks > 1 && address >> shared_rank_shift != context_.cluster_rank;
    return is_other && access_.space == module::Space::shared && !access_.of_cluster
               ? FaultKind::illegal_instruction
               : incident_.kind;
  }

  // Where the first lane of a row (lanes one behind the other) lies that met the page of the trap, counted
  // from the row's first. A row of more than 4 bytes a lane is several machine instructions, of which nobody
  // knows the first lane.
  std::optional<uint64_t> offset_in_row() const {
    if (!lanes_.contiguous || !operand_ || !trap_.has_address) return std::nullopt;
    if (access_.bytes == 0 || operand_->broadcast) return std::nullopt;
    const uint64_t begin = std::max(operand_->address, page_of(trap_.address)) - operand_->address;
    const bool masked = operand_->mask != 0 && trap_.has_masks && operand_->mask_unit != 0;
    for (uint64_t offset = begin; offset < widest_access; offset += step()) {
      if (!masked || (trap_.masks[operand_->mask] >> (offset / operand_->mask_unit) & 1) != 0) return offset;
    }
    return std::nullopt;
  }

  const Worker& worker_;
  const Job& job_;
  const Context& context_;
  const Trap& trap_;
  const CompiledKernel& kernel_;
  const std::optional<MemoryOperand> operand_;
  Lanes lanes_;
  SiteAccess access_;
  bool one_of_several_ = false;  // loads
  Incident incident_;
};

}  // namespace

Incident incident_of(const Worker& worker, const Trap& trap) { return Explanation(worker, trap).explain(); }

}  // namespace heddle::exec::jit
