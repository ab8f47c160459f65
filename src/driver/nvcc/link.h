// Linking device code, and linking.
#pragma once

#include <string>
#include <vector>

#include "driver/nvcc/session.h"

namespace heddle::driver::nvcc {

// The inputs of a link in their order, compiled where they were sources.
struct Linkable {
  InputKind kind;
  std::string path;
};

// The object that registers relocatable device code (docs/reference/nvcc.md "Relocatable device code").
bool device_link(Session& session, const std::vector<Linkable>& inputs, const std::string& output);
bool link(Session& session, const std::vector<Linkable>& inputs, const std::string& output);
bool make_library(Session& session, const std::vector<Linkable>& inputs, const std::string& output);

}  // namespace heddle::driver::nvcc
