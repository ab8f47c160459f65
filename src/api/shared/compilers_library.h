// libheddle-compilers.so.0, with clang and LLVM, which a process loads when it compiles something: most
// processes find all of their kernels in the cache, and start in a third of the time without it.
#pragma once

#include <string>

namespace heddle::shared {

class CompilersLibrary {
 public:
  void* find(const char* symbol) const;  // nullptr: it has none, or is not there
  const std::string& why() const { return why_; }

 private:
  friend const CompilersLibrary& compilers_library();
  void* handle_ = nullptr;
  std::string why_;  // it is not there
};

// Loads it, once.
const CompilersLibrary& compilers_library();

}  // namespace heddle::shared
