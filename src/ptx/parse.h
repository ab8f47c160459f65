// Text to syntax and back.
#pragma once

#include <memory>
#include <string>

#include "ptx/ast.h"
#include "support/diagnostic.h"

namespace heddle::ptx {

// Always returns a module; what could not be read is left out of it and named in `diagnostics`. Never throws
// on bad input.
Module parse(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics);

std::string print(const Module& module);
// One statement as text, for messages, traces and the debugger.
std::string print(const Module& module, const Function& function, const Statement& statement);

// Scopes, types, versions, targets, limits of the text itself. A module without errors here is one that the
// executors accept.
void verify(const Module& module, Diagnostics& diagnostics);

// Parses, and verifies a text that could be read whole: what every user but a printer of text wants.
Module read(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics);

}  // namespace heddle::ptx
