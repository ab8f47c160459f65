// Work of the libraries' modules (src/libs) in streams and graphs.
#pragma once

#include <memory>

#include "libs/interface/services.h"
#include "runtime/task.h"

namespace heddle::cuda {

// As a kernel: it is one to whoever looks at a graph's nodes.
struct LibraryWork {
  libs::WorkRef work;
};
runtime::OperationRef make_library_operation(const LibraryWork& work);

// What modules ask for, one for the process.
libs::Services& library_services();

}  // namespace heddle::cuda
