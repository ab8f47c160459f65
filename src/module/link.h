// Syntax to image: linking, layout, control flow, lines.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "module/image.h"
#include "ptx/ast.h"
#include "support/diagnostic.h"
#include "support/result.h"

namespace heddle::module {

struct LinkOptions {
  bool allow_undefined_functions =
      true;  // host-provided ones are bound at load; else each is an error that names it
  bool allow_undefined_variables = false;
};

// Every module must have passed ptx::verify. Extern, weak, common and visible follow the PTX linking rules; a
// clash names both places.
struct LinkError {
  std::vector<std::string> messages;
};
Result<std::unique_ptr<Image>, LinkError> link(std::span<const ptx::Module* const> modules,
                                               const LinkOptions& = {});

std::string dump(const Image&);  // readable, stable: for tests and `heddle ptx print --image`

}  // namespace heddle::module
