// Accesses as executors meet them, with addresses as the instruction has them, on their way to an observer.
#pragma once

#include "exec/memory_map.h"
#include "isa/isa.h"
#include "module/image.h"
#include "observe/observer.h"

namespace heddle::exec {

// Tells `access` with its lanes sorted by the spaces that their addresses lie in, where `space` is generic;
// one call of the sink a space, in the order of observe::Space. Its addresses are changed. Lanes whose
// addresses lie among the launch's parameters are left out.
void tell(observe::Sink& sink, observe::Access access, module::Space space, const WindowMap& windows,
          uint64_t* addresses);

// Of a word of the slot `scope` of a fence, an access, an atomic operation; without one it is the system's.
observe::FenceScope scope_of(isa::Word word);

}  // namespace heddle::exec
