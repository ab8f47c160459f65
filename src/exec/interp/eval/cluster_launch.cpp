// Clusters of the grid that a block takes away before they begin (PTX ISA 9.7.13.17). As all asynchronous
// operations a request completes where it is issued. The response is opaque to programs: the canceled
// cluster's first block in the lower 64 bits, x 32 of them, y and z 16 each, and bit 64 says that there is
// one.
#include <cstring>

#include "exec/interp/block.h"
#include "exec/interp/cluster.h"
#include "exec/interp/eval/site.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

Wide response_of(const std::optional<Dim3>& first) {
  if (!first) return {};
  return {uint64_t{first->x} | uint64_t{first->y} << 32 | uint64_t{first->z} << 48, 1};
}

bool respond(Step& s, int lane, Site to, Site mbar, const Wide& response) {
  const Step::Place place = s.place(to.address, to.space, lane, sizeof response, true);
  if (place.host == nullptr) return false;
  std::memcpy(place.host, &response, sizeof response);
  complete(s, lane, mbar, sizeof response);
  return !s.faulted();
}

}  // namespace

// Operands: [response], [mbar]; with .multicast the same ones of every block of the cluster. Who asks again
// after a refusal is refused again, which the ISA leaves open.
void eval_clusterlaunchcontrol_try_cancel(Step& s) {
  s.polls();
  s.each([&](int lane) {
    if (s.faulted()) return;
    const Site to = site_of(s, 0, lane), mbar = site_of(s, 1, lane);
    UnstartedClusters* const unstarted = s.warp().run().unstarted;
    const Wide response = response_of(unstarted == nullptr ? std::nullopt : unstarted->cancel());
    if (!s.has(Slot::multicast)) {
      respond(s, lane, to, mbar, response);
      return;
    }
    const auto blocks = static_cast<unsigned>(s.block().cluster().blocks().size());
    for (unsigned rank = 0; rank < blocks; ++rank)
      if (!respond(s, lane, in_block(to, rank), in_block(mbar, rank), response)) return;
  });
}

void eval_clusterlaunchcontrol_query_canceled(Step& s) {
  s.each([&](int lane) { s.set_predicate(0, lane, (s.get<Wide>(1, lane).high & 1) != 0); });
}

// A vector's fourth element is not specified. Of a request that was refused nothing is: zeros.
void eval_clusterlaunchcontrol_query_ctaid(Step& s) {
  const auto parts = s.parts(s.operand(0));
  s.each([&](int lane) {
    const uint64_t first = s.get<Wide>(1, lane).low;
    const uint32_t xyz[] = {static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32 & 0xffff),
                            static_cast<uint32_t>(first >> 48), 0};
    switch (s.word(Slot::query)) {
      case Word::get_first_ctaid_y: return s.set(0, lane, xyz[1]);
      case Word::get_first_ctaid_z: return s.set(0, lane, xyz[2]);
      case Word::get_first_ctaid_x: return s.set(0, lane, xyz[0]);
      default:
        for (std::size_t i = 0; i < parts.size(); ++i) s.set(parts[i], lane, xyz[i]);
    }
  });
}

}  // namespace heddle::exec::interp
