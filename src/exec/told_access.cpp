#include "exec/told_access.h"

#include <array>
#include <bit>

namespace heddle::exec {

namespace {

// By observe::Space, and after those the launch's parameters, which nobody is told of.
constexpr unsigned spaces = 4, parameters = 4;

unsigned number(observe::Space space) { return static_cast<unsigned>(space); }

unsigned window_of(uint64_t& address, const WindowMap& w) {
  if (address - w.shared_base < w.shared_bytes) {
    address -= w.shared_base;
    return number(observe::Space::shared);
  }
  if (address - w.local_base < w.local_bytes) {
    address -= w.local_base;
    return number(observe::Space::local);
  }
  return address - w.param_base < w.param_bytes ? parameters : number(observe::Space::global);
}

}  // namespace

void tell(observe::Sink& sink, observe::Access access, module::Space space, const WindowMap& windows,
          uint64_t* addresses) {
  access.addresses = addresses;
  switch (space) {
    case module::Space::param: return;
    case module::Space::global: access.space = observe::Space::global; return sink.access(access);
    case module::Space::const_: access.space = observe::Space::constant; return sink.access(access);
    case module::Space::shared: access.space = observe::Space::shared; return sink.access(access);
    case module::Space::local: access.space = observe::Space::local; return sink.access(access);
    case module::Space::generic: break;
  }
  std::array<observe::Mask, spaces + 1> lanes{};
  for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    lanes[window_of(addresses[lane], windows)] |= observe::Mask{1} << lane;
  }
  for (unsigned s = 0; s < spaces; ++s) {
    if (lanes[s] == 0) continue;
    access.space = static_cast<observe::Space>(s);
    access.lanes = lanes[s];
    sink.access(access);
  }
}

observe::FenceScope scope_of(isa::Word word) {
  switch (word) {
    case isa::Word::cta: return observe::FenceScope::block;
    case isa::Word::cluster: return observe::FenceScope::cluster;
    case isa::Word::sys:
    case isa::Word::none: return observe::FenceScope::system;
    default: return observe::FenceScope::device;
  }
}

}  // namespace heddle::exec
