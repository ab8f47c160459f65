// Mnemonics of one module: each text is resolved once, however often it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "support/diagnostic.h"

namespace heddle::ptx {

class MnemonicTable {
 public:
  // What is resolved is appended to `out`, whose indices are the numbers given back.
  MnemonicTable(std::vector<Mnemonic>& out, Diagnostics& diagnostics)
      : out_(out), diagnostics_(diagnostics) {}

  // `stable`: the text outlives the table. Empty after a complaint.
  std::optional<uint32_t> find(std::string_view text, bool stable, SourceSpan span);

  // Whether a parenthesis in the operands opens a list, not a constant expression.
  bool takes_lists(uint32_t mnemonic) const { return states_[mnemonic].takes_lists; }

  // The candidate that the operands fit; Statement::no_candidate after a complaint.
  uint8_t choose(uint32_t mnemonic, std::span<const Operand> operands, SourceSpan span);

 private:
  // The shapes of a statement's operands, as far as fit() looks at them; 0 when they are too many to
  // remember.
  using Shapes = unsigned __int128;
  struct State {
    bool takes_lists = false;
    uint8_t next = 0;
    Shapes shapes[2] = {0, 0};  // the last two seen, and the candidates they chose
    uint8_t candidates[2] = {0, 0};
  };
  static Shapes shapes_of(std::span<const Operand> operands);
  bool resolve(std::string_view text, SourceSpan span);
  void complain_modifiers(isa::Opcode opcode, std::span<const std::string_view> spellings, SourceSpan span);

  std::vector<Mnemonic>& out_;
  Diagnostics& diagnostics_;
  Interner texts_;
  std::vector<uint32_t> index_;  // by number in texts_: index in out_ + 1, 0 for what is no mnemonic
  std::vector<State> states_;    // beside out_
};

}  // namespace heddle::ptx
