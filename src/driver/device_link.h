// What a device linker does: it checks that what device code of one object needs another one has, and makes
// one image of them.
#pragma once

#include <string>
#include <vector>

#include "driver/architecture.h"
#include "elf/object_file.h"
#include "support/result.h"

namespace heddle::driver {

// "Undefined reference to '_Z4workv' in 'b.o'", for each architecture that all of the objects with
// relocatable device code have, each name once. Functions with names of C are provided when the program is
// loaded (vprintf, cudaLaunchDeviceV2).
std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects);

// Kernels that take more shared memory together with all that they call, for the same architectures.
std::vector<std::string> shared_memory_problems(const std::vector<elf::ObjectFile>& objects);

// The relocatable device code of the objects, and of those members of archives that they need, for each of
// the architectures. It is linked where it is loaded, as what cuLinkComplete gives.
Result<std::string> linked_image(const std::vector<elf::ObjectFile>& objects,
                                 const std::vector<ArchName>& architectures);

}  // namespace heddle::driver
