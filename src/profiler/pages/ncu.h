// The pages of ncu, as scripts read them (docs/reference/ncu.md).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "profiler/pages/choose.h"
#include "profiler/profile.h"

namespace heddle::profiler {

struct NcuPage {
  enum class Page { details, raw, source };
  enum class Name { demangled, function, mangled };
  Page page = Page::details;
  Name name = Name::demangled;  // of kernels
  bool csv = false;
  std::vector<std::string> metrics;   // asked for by name, in this order; known or not
  std::vector<std::string> sections;  // ids; those without metrics asked for
};

// Of a launch's device. A name that has no formula: NaN.
struct NcuValue {
  std::string name, unit, label;
  double value = 0;
  std::string text = {};  // of what is no number
};
std::vector<NcuValue> ncu_values(const std::string& name, const LaunchRecord& launch);
// Why a metric has no value, in words; empty: it has one on such a device.
std::string ncu_objection(const std::string& name, arch::Capability capability);

void print_ncu(const std::vector<Profile>& processes, const NcuPage& page, std::ostream& out);

}  // namespace heddle::profiler
