// The bodies of one module's functions, from syntax to image.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "module/layout.h"
#include "module/lines.h"
#include "module/operands.h"
#include "module/program.h"
#include "module/scopes.h"

namespace heddle::module {

class UnitLowering {
 public:
  UnitLowering(Program& program, uint32_t unit);
  // `place`: of the function in the image, where its name and signature already stand. The image's functions
  // must not move meanwhile.
  void lower(uint32_t place, const ptx::Function& source);

 private:
  struct Named {  // a label, table or prototype and the block that it stands in
    uint32_t block;
    NameId name;
    Binding binding;
  };
  void survey(const ptx::Function& source);
  void enter_block();
  void declare_parameters(const ptx::Prototype& signature, uint32_t place);
  void declare(const ptx::Variable& variable, uint32_t index, uint32_t place);
  void place_locals(const ptx::Function& source);
  void instruction(const ptx::Function& source, const ptx::Statement& statement);
  void table(const ptx::Function& source, const ptx::Statement& statement);
  void close_with_return();
  const ResolvedForm& form_of(uint32_t mnemonic, uint8_t candidate, uint32_t& image_mnemonic);

  Program& program_;
  const ptx::Module& module_;
  uint32_t unit_;
  Scopes scopes_;
  OperandReader operands_;
  SourceFiles files_;
  LineTable lines_;
  struct Candidate {
    uint32_t mnemonic = none;
    std::unique_ptr<ResolvedForm> form;
  };
  std::vector<std::vector<Candidate>> forms_;  // by mnemonic and candidate of the module

  // Of the function at hand.
  Function* function_ = nullptr;
  Frame frame_;
  uint32_t line_ = 0;
  uint32_t block_ = 0;  // blocks are numbered as they open
  std::vector<Named> named_;
  std::size_t next_named_ = 0;
  std::vector<uint64_t> marks_;         // of the frame, by open block
  std::vector<uint64_t> local_places_;  // of .local variables, by declaration
  bool label_at_end_ = false;
};

}  // namespace heddle::module
