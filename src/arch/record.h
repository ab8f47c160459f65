// A device's record as text -> a Device. Built-in records and users' own are read in the same way, and
// refused with the words that the build has for records of spec/devices (tools/gen/arch_records.py).
#pragma once

#include <string_view>

#include "arch/device.h"
#include "support/result.h"

namespace heddle::arch {

// `file` is what errors begin with. What the device's members point to stays for ever.
Result<Device> read_record(std::string_view file, std::string_view id, std::string_view text);

}  // namespace heddle::arch
