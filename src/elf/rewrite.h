// Object files and archives with other content in some of their sections.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/object_file.h"

namespace heddle::elf {

struct NewContent {
  // Where what others refer to began, and where it begins now; ascending.
  struct Move {
    uint64_t from, to;
  };
  std::string bytes;
  std::vector<Move> moves;
};

// What a section of an object ("a.o", "libx.a(a.o)") shall have instead of what it has.
using Replace = std::function<std::optional<NewContent>(const std::string& object, const ObjectSection&)>;

// Symbols and relocations follow what has moved. Of an archive each member that is an object file is
// rewritten, and its index of symbols follows, too. A file whose parts are where it wants them in memory, a
// program, is an error.
Result<std::string> rewrite(const std::string& name, std::string_view bytes, const Replace& replace);

// To be linked: neither a program nor a shared library.
bool is_relocatable(std::string_view elf);

}  // namespace heddle::elf
