// What a device linker checks: that what device code of one object needs another one has.
#pragma once

#include <string>
#include <vector>

#include "elf/object_file.h"

namespace heddle::driver {

// "Undefined reference to '_Z4workv' in 'b.o'", for each architecture that all of the objects with
// relocatable device code have, each name once. Functions with names of C are provided when the program is
// loaded (vprintf, cudaLaunchDeviceV2).
std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects);

}  // namespace heddle::driver
