// What clang shall do with a source, by the arguments of its compiler proper.
#pragma once

#include <memory>

#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendOptions.h"

namespace heddle::frontend {

// nullptr: none of what we ask for. clang's own function of this purpose (FrontendTool) would bring the
// static analyzer, the migrators and other tools along, a fifth of libheddle.so.0.
std::unique_ptr<clang::FrontendAction> action_for(const clang::FrontendOptions& options);

}  // namespace heddle::frontend
