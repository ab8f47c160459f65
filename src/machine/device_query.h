// What deviceQuery, the CUDA samples' program, prints of devices: scripts read it.
#pragma once

#include <span>
#include <string>

#include "machine/machine.h"

namespace heddle::machine {

struct QueryVersions {
  int driver = 0, runtime = 0;  // as CUDA numbers them: 12050
};

// From CUDA 4.1 on the print has the form of today; before, that of the CUDA tutorial's page of a GTX 480.
std::string device_query(std::span<const HostDevice> devices, const QueryVersions& versions,
                         std::string_view program = "deviceQuery");

}  // namespace heddle::machine
