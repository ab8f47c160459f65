// Linking: which definition every name of every module stands for (PTX ISA 5.4, 11.6).
//
// A name without a linking directive is its module's own. The others meet by name: one .visible definition at
// most, else the largest .common one, else the first .weak one, else nothing, which is an error where the
// name is used. An .alias is another name of its aliasee. An `.extern .shared` variable with a size that
// nothing defines is its own definition, as an H200's driver (580.159.04) takes it: each has a place beside
// the kernel's other shared variables, and counts as theirs (LLVM writes shared variables of programs so).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "module/image.h"
#include "ptx/ast.h"

namespace heddle::module {

struct Entity {  // a variable or function of the whole program
  enum class Kind : uint8_t {
    defined,
    undefined,       // .extern without a definition anywhere
    dynamic_shared,  // .extern .shared x[]: no definition needed
    constant_bank,   // .extern .const[n] x[] before PTX 2.2: the whole bank
  };
  std::string_view name;
  Kind kind = Kind::undefined;
  bool function = false;
  bool visible = false;   // seen by other modules
  uint32_t unit = 0;      // where its definition stands, or its first declaration
  uint32_t index = 0;     // in that module's functions or variables
  uint32_t align = 1;     // the largest of all declarations'
  uint32_t place = none;  // index in Image::functions or ::symbols, once it is there
};

struct Names {
  std::vector<Entity> entities;                // by unit, then in the order of the text
  std::vector<std::vector<uint32_t>> of_name;  // [unit][NameId] -> entity, or none
  struct Alias {
    uint32_t entity, aliasee;
  };
  std::vector<Alias> alias;  // entities that are another name of a function
};

// Collects what is wrong, as "a.ptx:3:1: error: ...".
class Messages {
 public:
  explicit Messages(std::span<const ptx::Module* const> modules) : modules_(modules) {}
  void error(uint32_t unit, uint32_t offset, const std::string& message);
  void error(const std::string& message);
  std::string place(uint32_t unit, uint32_t offset) const;  // "a.ptx:3:1"
  std::string unit_name(uint32_t unit) const;
  bool empty() const { return messages_.empty(); }
  std::vector<std::string> take();

 private:
  static constexpr std::size_t most_ = 100;
  std::span<const ptx::Module* const> modules_;
  std::vector<std::string> messages_;
  std::size_t left_out_ = 0;
};

Names resolve_names(std::span<const ptx::Module* const> modules, Messages& messages);

}  // namespace heddle::module
