// The image while it is being made, and what all parts of the linker ask of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "module/flow.h"
#include "module/image.h"
#include "module/initializer.h"
#include "module/link.h"
#include "module/names.h"
#include "module/scopes.h"
#include "ptx/ast.h"

namespace heddle::module {

class Program {
 public:
  Program(std::span<const ptx::Module* const> modules, const LinkOptions& options);

  std::span<const ptx::Module* const> modules;
  const LinkOptions& options;
  Image image;
  Messages messages;
  Names names;
  std::vector<Flow> flows;  // by Image::mnemonics

  // Image indices of an entity; one without a definition appears when it is first asked for.
  uint32_t function_of(uint32_t entity);
  uint32_t symbol_of(uint32_t entity);
  // What a name stands for at module level; complains when it is nothing.
  std::optional<Referent> referent(uint32_t unit, NameId name, uint32_t offset);

  // The image's number for a mnemonic's form; equal ones of several modules share it.
  uint32_t mnemonic(const ptx::Mnemonic& mnemonic, std::size_t candidate);
  uint32_t return_mnemonic();  // of a ret that the text leaves out

  // A symbol for a variable, sized and placed but without initial value; complains when it is too large.
  Symbol make_symbol(uint32_t unit, const ptx::Variable& variable, uint32_t owner);
  uint32_t add_symbol(Symbol symbol);
  // Reads the initial value of a variable into a symbol.
  void initialise(uint32_t symbol, uint32_t unit, const ptx::Variable& variable, const FindReferent& find);

  // A use of something undefined is an error that names it once, whoever uses it.
  void undefined_errors();

 private:
  void add_undefined(Entity& entity);
  std::unordered_map<std::string, uint32_t> known_mnemonics_;  // text and form
  std::vector<uint32_t> constant_banks_;                       // by bank: its symbol
};

}  // namespace heddle::module
