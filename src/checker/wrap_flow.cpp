#include "checker/wrap_flow.h"

#include <algorithm>
#include <bit>

#include "analysis/accesses.h"
#include "isa/isa.h"
#include "module/flow.h"

namespace heddle::checker {

namespace {

using isa::TypeKind;
using observe::Mask;

int64_t number_of(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

bool is_order(isa::Word comparison) {
  const std::string_view name = isa::spelling(comparison);
  return name == "lt" || name == "le" || name == "gt" || name == "ge";
}

}  // namespace

WrapFlow::Instruction& WrapFlow::instruction(observe::Place place) {
  auto& of = functions_[place.function];
  const module::Function& function = image_.functions[place.function];
  if (of.empty()) of.resize(function.code.size());
  Instruction& known = of[place.instruction];
  if (known.known) return known;
  known.known = true;
  const module::Instruction& i = function.code[place.instruction];
  const isa::SlotValues& words = image_.mnemonics[i.mnemonic].values;
  const isa::FormInfo& form = isa::forms(i.opcode)[image_.mnemonics[i.mnemonic].alternative];
  const std::string_view id = isa::info(i.form).id;
  known.use = exec::wrap_use(i.opcode);
  known.stores = id.starts_with("st") || id.starts_with("atom") || id.starts_with("red");
  known.loads = id.starts_with("ld");
  known.decides = module::flow_of(isa::info(i.form)) != module::Flow::next;
  const auto operand = [&](unsigned o) -> const module::Operand& {
    return function.operands[i.first_operand + o];
  };
  const std::size_t count = std::min<std::size_t>(i.operand_count, form.operands.size());
  bool plain = true;  // registers and immediates alone
  for (std::size_t o = 0; o < count; ++o) {
    const module::Operand& one = operand(static_cast<unsigned>(o));
    const bool writes = form.operands[o].access != isa::Access::read;
    const bool reads = form.operands[o].access != isa::Access::write;
    plain &= one.kind == module::OperandKind::reg || one.kind == module::OperandKind::immediate;
    const auto visit = [&](const analysis::RegisterAccess& a, const module::Operand& from) {
      if (writes) known.results.push_back(a.slot);
      if (reads || from.kind == module::OperandKind::address)
        known.sources.push_back({a.slot, static_cast<uint8_t>(o),
                                 isa::info(from.type).kind == TypeKind::signed_,
                                 from.kind == module::OperandKind::address});
    };
    const auto each = [&](auto&& self, const module::Operand& from) -> void {
      if (from.kind == module::OperandKind::reg) visit({from.reg, reads, writes}, from);
      if (from.kind == module::OperandKind::address && from.reg != module::none)
        known.sources.push_back({from.reg, static_cast<uint8_t>(o), false, true});
      for (uint32_t c = 0; c < from.child_count; ++c) self(self, function.operands[from.first_child + c]);
    };
    each(each, one);
  }
  if (count >= 2 && known.use.wraps != exec::Wrap::none && plain) {
    const isa::TypeInfo &result = isa::info(operand(0).type), &source = isa::info(operand(1).type);
    known.low = result.bits == source.bits &&
                (!words.has(isa::Slot::mode) || words.is(isa::Slot::mode, isa::Word::lo));
    const bool product = known.use.wraps == exec::Wrap::product || known.use.wraps == exec::Wrap::product_sum;
    if (result.kind == TypeKind::signed_ && result.elements == 1 && known.low && !words.has(isa::Slot::sat) &&
        (result.bits == 32 || (result.bits == 64 && !product)))
      known.wraps = known.use.wraps, known.bits = result.bits;
  }
  const isa::TypeInfo& type = count > 0 ? isa::info(operand(0).type) : isa::info(isa::Type::none);
  known.logic_and = type.kind == TypeKind::predicate && id.starts_with("and");
  known.logic_or = type.kind == TypeKind::predicate && id.starts_with("or");
  known.interprets = known.use.interprets;
  if (words.has(isa::Slot::cmp)) known.interprets &= is_order(words[isa::Slot::cmp]);
  if (known.stores) {
    const std::string_view op = words.has(isa::Slot::op) ? isa::spelling(words[isa::Slot::op]) : "";
    known.interprets &= op == "min" || op == "max";
  }
  // Of those that do both, a product of twice the width, or its upper half, takes its sources as numbers.
  if (known.use.wraps != exec::Wrap::none) known.interprets &= !known.low;
  const bool carries = known.use.wraps == exec::Wrap::none || known.low;
  known.carries = known.use.carries && carries;
  return known;
}

Mask WrapFlow::wrapped_lanes(const Instruction& i, const observe::Executed& e) const {
  Mask found = 0;
  for (Mask rest = e.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto value = [&](unsigned o) { return number_of(e.operands[32 * o + lane], i.bits); };
    __int128 exact = value(1);
    switch (i.wraps) {
      case exec::Wrap::sum: exact += value(2); break;
      case exec::Wrap::difference: exact -= value(2); break;
      case exec::Wrap::product: exact *= value(2); break;
      case exec::Wrap::product_sum: exact = exact * value(2) + value(3); break;
      default: return 0;
    }
    if (exact != value(0)) found |= Mask{1} << lane;
  }
  return found;
}

void WrapFlow::born(Instruction& i, const observe::Executed& e, unsigned lane, Register& result) {
  if (i.birth == module::none) {
    i.birth = static_cast<uint32_t>(births_.size());
    births_.push_back({e.place, i.bits, i.wraps});
  }
  Values& values = values_[++number_ % most_values];
  values.number = number_;
  const unsigned count = i.wraps == exec::Wrap::product_sum ? 3 : 2;
  for (unsigned s = 0; s < count; ++s) values.sources[s] = number_of(e.operands[32 * (s + 1) + lane], i.bits);
  result.birth[lane] = i.birth, result.number[lane] = number_;
  result.wrapped |= Mask{1} << lane;
}

void WrapFlow::see(const observe::Executed& e, const Register& r, Mask lanes, WrapEvents::End end) {
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Birth& birth = births_[r.birth[lane]];
    WrapEvents& events = events_[birth.place];
    if (events.count++ != 0) continue;
    events.taken = (r.taken >> lane & 1) != 0 ? r.taken_at[lane] : e.place;
    events.seen = e.place, events.end = end, events.block = e.block;
    events.thread = e.warp * 32 + lane;
    events.bits = birth.bits, events.wrap = birth.wrap;
    const Values& values = values_[r.number[lane] % most_values];
    if (values.number != r.number[lane]) continue;
    events.sources = values.sources;
    events.source_count = birth.wrap == exec::Wrap::product_sum ? 3 : 2;
  }
}

void WrapFlow::executed(const observe::Executed& e) {
  const module::Instruction& code = image_.functions[e.place.function].code[e.place.instruction];
  Instruction& i = instruction(e.place);
  const Key key{e.block, e.warp, e.call};
  auto found = registers_.find(key);
  const auto of = [&](uint32_t slot) -> const Register* {
    if (found == registers_.end()) return nullptr;
    const auto one = found->second.find(slot);
    return one == found->second.end() ? nullptr : &one->second;
  };
  // A guard decides for all that came: of a branch who goes where, of others who does it at all.
  if (code.guard != module::none)
    if (const Register* guard = of(code.guard); guard != nullptr && (i.decides || i.stores))
      see(e, *guard, guard->taken & e.came, WrapEvents::End::branch);
  if (e.operands == nullptr) return;
  if (i.stores || i.loads) {
    pending_ = Pending{};
    pending_.executed = e;
    if (i.loads && i.results.size() == 1) pending_.result = i.results[0];
    pending_.executed.operands = nullptr;
  }
  const Mask births = i.wraps != exec::Wrap::none ? wrapped_lanes(i, e) : 0;
  if (births == 0 && found == registers_.end()) return;

  Register result;
  const auto add = [&](const Register& from, Mask wrapped, Mask taken, bool takes) {
    for (Mask rest = (wrapped | taken) & ~(result.wrapped | result.taken); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      result.copy(lane, from, lane);
      if (takes && (from.taken >> lane & 1) == 0) result.taken_at[lane] = e.place;
    }
    (takes ? result.taken : result.wrapped) |= wrapped;
    result.taken |= taken;
  };
  for (const Source& source : i.sources) {
    const Register* from = of(source.slot);
    if (from == nullptr) continue;
    Mask wrapped = from->wrapped & e.lanes, taken = from->taken & e.lanes;
    if (source.is_address) {
      see(e, *from, taken, WrapEvents::End::address);
      continue;
    }
    const bool takes = i.interprets && source.is_signed;
    if (i.stores) {
      // Where it goes is told next.
      for (Mask rest = wrapped | taken; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        pending_.value.copy(lane, *from, lane);
        if (takes && (taken >> lane & 1) == 0) pending_.value.taken_at[lane] = e.place;
      }
      pending_.value.wrapped |= wrapped;
      pending_.value.taken |= takes ? taken | wrapped : taken;
      continue;
    }
    if (i.use.selects || i.logic_and || i.logic_or) {
      // Only what comes through.
      Mask through = 0;
      for (Mask rest = wrapped | taken; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const auto value = [&](unsigned o) { return (e.operands[32 * o + lane] & 1) != 0; };
        const unsigned other = source.operand == 1 ? 2 : 1;
        bool passes = true;
        if (i.use.selects)
          passes = source.operand == 3 || value(3) == (source.operand == 1);
        else
          passes = value(other) == i.logic_and;
        // Two sources that both decide nothing alone: neither is dropped.
        if (!i.use.selects)
          for (const Source& second : i.sources)
            if (const Register* too = second.operand == other ? of(second.slot) : nullptr; too != nullptr)
              passes |= (too->taken >> lane & 1) != 0;
        through |= Mask{passes} << lane;
      }
      wrapped &= through, taken &= through;
    }
    if (takes)
      add(*from, wrapped, taken, true);
    else
      add(*from, i.carries || i.use.selects ? wrapped : 0, taken, false);
  }
  for (Mask rest = births & ~(result.wrapped | result.taken); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    born(i, e, lane, result);
  }
  const Mask both = result.wrapped | result.taken;
  for (const uint32_t slot : i.results) {
    if (found == registers_.end()) {
      if (both == 0) return;
      found = registers_.try_emplace(key).first;
    }
    const auto known = found->second.find(slot);
    if (known == found->second.end()) {
      if (both != 0) found->second.emplace(slot, result);
      continue;
    }
    Register& to = known->second;
    to.wrapped = (to.wrapped & ~e.lanes) | result.wrapped;
    to.taken = (to.taken & ~e.lanes) | result.taken;
    for (Mask rest = both; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      to.copy(lane, result, lane);
    }
    if ((to.wrapped | to.taken) == 0) found->second.erase(known);
  }
  if (found != registers_.end() && found->second.empty()) registers_.erase(found);
}

// What is stored for others to see is seen; what a thread keeps in memory of its own goes on from there.
void WrapFlow::access(const observe::Access& access) {
  const observe::Executed& e = pending_.executed;
  if (access.place != e.place || access.warp != e.warp || access.block != e.block) return;
  const bool is_local = access.space == observe::Space::local;
  if (!is_local) {
    if (access.kind != observe::AccessKind::load)
      see(e, pending_.value, pending_.value.taken & access.lanes, WrapEvents::End::stored);
    return;
  }
  if (access.kind == observe::AccessKind::load && (local_.empty() || pending_.result == module::none)) return;
  if (access.kind == observe::AccessKind::store && local_.empty() &&
      (pending_.value.wrapped | pending_.value.taken) == 0)
    return;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Mask bit = Mask{1} << lane;
    const Local key{access.block, access.warp * 32 + lane, access.addresses[lane]};
    const auto known = local_.find(key);
    if (access.kind != observe::AccessKind::load) {
      const Register& value = pending_.value;
      if (((value.wrapped | value.taken) & bit) == 0) {
        if (known != local_.end()) local_.erase(known);
        continue;
      }
      Register& kept = local_[key];
      kept.wrapped = (value.wrapped & bit) != 0, kept.taken = (value.taken & bit) != 0;
      kept.copy(0, value, lane);
    } else if (known != local_.end()) {
      Register& to = registers_[{e.block, e.warp, e.call}][pending_.result];
      to.wrapped |= known->second.wrapped != 0 ? bit : 0;
      to.taken |= known->second.taken != 0 ? bit : 0;
      to.copy(lane, known->second, 0);
    }
  }
}

// Threads end, and with them what their registers held.
void WrapFlow::sync(const observe::Sync& sync) {
  if (sync.kind != observe::SyncKind::exit) return;
  const auto threads = [&](const Local& key) {
    return key.block == sync.block && key.thread / 32 == sync.warp &&
           (sync.lanes >> key.thread % 32 & 1) != 0;
  };
  std::erase_if(local_, [&](const auto& one) { return threads(one.first); });
  auto at = registers_.lower_bound({sync.block, sync.warp, 0});
  while (at != registers_.end() && at->first.block == sync.block && at->first.warp == sync.warp) {
    for (auto one = at->second.begin(); one != at->second.end();) {
      one->second.wrapped &= ~sync.lanes, one->second.taken &= ~sync.lanes;
      one = (one->second.wrapped | one->second.taken) == 0 ? at->second.erase(one) : std::next(one);
    }
    at = at->second.empty() ? registers_.erase(at) : std::next(at);
  }
}

}  // namespace heddle::checker
