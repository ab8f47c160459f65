#include "exec/jit/compiler/record.h"

#include "cache/bytes.h"

namespace heddle::exec::jit {

namespace {

using cache::Reader, cache::Writer;

constexpr uint64_t site_bytes = 48, lanes_bytes = 48;

}  // namespace

std::string write_record(const KernelRecord& record) {
  Writer w;
  w.text(record.object);
  w.text(record.slow_object);
  w.text(record.reason);
  w.number(record.sites.size());
  for (const Site& s : record.sites) {
    for (uint32_t n : {s.function, s.instruction, s.called_from, s.frame, s.order, s.turns}) w.number(n);
  }
  w.number(record.lanes.size());
  for (const AccessLanes& l : record.lanes) {
    for (uint32_t n : {uint32_t{l.kind}, uint32_t{l.all}, uint32_t{l.log_elements}, uint32_t{l.log_lanes},
                       uint32_t{l.first}, uint32_t{l.step}})
      w.number(n);
  }
  w.number(record.slow_parts);
  w.number(record.slot_bytes);
  w.number(record.local_bytes);
  w.number(record.local_granule);
  w.number(record.merged_blocks);
  w.number(record.vector_instructions);
  w.number(record.uses_shared ? 1 : 0);
  w.number(record.uses_steps ? 1 : 0);
  w.number(record.by_threads ? 1 : 0);
  w.number(record.by_warps ? 1 : 0);
  w.number(record.blocks_wait ? 1 : 0);
  w.number(record.watches ? 1 : 0);
  w.number(record.flush_mode ? 1 : 0);
  w.number(record.recursive ? 1 : 0);
  return std::move(w.out);
}

std::optional<KernelRecord> read_record(std::string_view bytes) {
  Reader r(bytes);
  KernelRecord record;
  record.object = r.text();
  record.slow_object = r.text();
  record.reason = r.text();
  const uint64_t sites = r.number();
  if (!r.ok || !r.can_hold(sites, site_bytes)) return std::nullopt;
  record.sites.resize(sites);
  for (Site& s : record.sites) {
    for (uint32_t* n : {&s.function, &s.instruction, &s.called_from, &s.frame, &s.order, &s.turns})
      *n = r.small();
  }
  const uint64_t lanes = r.number();
  if (!r.ok || !r.can_hold(lanes, lanes_bytes)) return std::nullopt;
  record.lanes.resize(lanes);
  for (AccessLanes& l : record.lanes) {
    const uint32_t kind = r.small();
    if (kind > AccessLanes::comb) return std::nullopt;
    l.kind = static_cast<AccessLanes::Kind>(kind);
    l.all = r.flag();
    l.log_elements = static_cast<uint8_t>(r.small()), l.log_lanes = static_cast<uint8_t>(r.small());
    l.first = static_cast<uint16_t>(r.small()), l.step = static_cast<uint16_t>(r.small());
    if (l.log_elements >= 16 || l.log_lanes >= 16) return std::nullopt;
  }
  record.slow_parts = r.number();
  record.slot_bytes = r.number();
  record.local_bytes = r.number();
  record.local_granule = r.small();
  record.merged_blocks = r.small();
  record.vector_instructions = r.number();
  record.uses_shared = r.flag();
  record.uses_steps = r.flag();
  record.by_threads = r.flag();
  record.by_warps = r.flag();
  record.blocks_wait = r.flag();
  record.watches = r.flag();
  record.flush_mode = r.flag();
  record.recursive = r.flag();
  if (!r.ok || !r.at_end() || record.merged_blocks == 0) return std::nullopt;
  return record;
}

}  // namespace heddle::exec::jit
