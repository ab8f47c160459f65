// Program text to a loaded module: read, verified, linked, checked against the device, placed.
#pragma once

#include <span>
#include <string>

#include "runtime/module.h"

namespace heddle::runtime {

struct ProgramText {
  std::string name;  // for messages
  std::string text;  // PTX
};

// Several texts are linked. `log` takes what there is to say, warnings included, ready to be printed.
Outcome<std::shared_ptr<const module::Image>> build_image(std::span<const ProgramText> texts,
                                                          std::string& log);
Outcome<std::shared_ptr<Module>> load_module(Context& context, std::span<const ProgramText> texts,
                                             std::string& log);

}  // namespace heddle::runtime
