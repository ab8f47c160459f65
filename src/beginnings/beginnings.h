// What a source begins with (frontend::Beginning), parsed once: kept for the process's other compilations and
// on disk for the next process.
#pragma once

#include <memory>
#include <string>

#include "frontend/clang.h"

namespace heddle::beginnings {

using Shared = std::shared_ptr<const frontend::Beginning>;

// Of jobs with these arguments, clang's own headers and then `lines`. Nothing where it cannot be made: then a
// compilation says why.
Shared get(const frontend::Job& job, const std::string& lines);
// The same made anew, because what there was is stale.
Shared renew(const frontend::Job& job, const std::string& lines);

// One compilation of a file.
struct Source {
  frontend::Job job;                 // what all files of a build share
  std::vector<std::string> folders;  // of the program's headers: arguments before the job's
  std::vector<std::string> own;      // arguments for this file alone, behind the job's
  std::string path;
  frontend::Job whole() const;
};

// Compiles it with what is kept of how it begins: clang's own headers, and those of the system that it
// includes first. These are parsed for themselves when a second compilation asks for them; the first one, and
// so files that are compiled once, shares clang's own headers alone.
frontend::Product compile(const Source& source);

}  // namespace heddle::beginnings
