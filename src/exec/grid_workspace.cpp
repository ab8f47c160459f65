#include "exec/grid_workspace.h"

namespace heddle::exec {

GridWorkspace::GridWorkspace(GuestMemory& memory) : memory_(memory) {
  memory_.add(address(), sizeof(Page), true);
}

GridWorkspace::~GridWorkspace() { memory_.remove(address()); }

}  // namespace heddle::exec
