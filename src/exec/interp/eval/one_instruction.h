// For tests: one instruction on its own, its operands in registers, without parser and linker.
//
//   OneInstruction add("add.rn.f32");
//   EXPECT_EQ(add(0x3f800000, 0x40000000), 0x40400000u);
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/launch.h"

namespace heddle::exec::interp {

class OneInstruction {
 public:
  struct Options {
    std::string_view device = "h200";
    unsigned vector = 0;                // elements of vector operands; 0: a form without any
    std::size_t operands = 0;           // of the form; 0: the first form that fits
    std::vector<uint64_t> immediates;   // of the operands that must be immediate
    bool every_operand = true;          // false: optional ones are left out
    isa::Type registers = isa::Type{};  // the type that registers are declared with; none: the operand's own
    bool map_f64_to_f32 = false;
  };
  explicit OneInstruction(std::string_view mnemonic) : OneInstruction(mnemonic, Options{}) {}
  OneInstruction(std::string_view mnemonic, const Options& options);
  OneInstruction(OneInstruction&&) noexcept;
  ~OneInstruction();

  // Empty, or why there is no such instruction.
  const std::string& error() const { return error_; }
  bool has_eval() const;
  std::size_t sources() const { return sources_.size(); }
  std::size_t results() const { return results_.size(); }
  // Runs it in one lane: the registers of the sources in, those of the results out. 128-bit values are two
  // elements each, the lower one first.
  std::vector<uint64_t> run(const std::vector<uint64_t>& sources);
  template <class... Sources>
  uint64_t operator()(Sources... sources) {
    return run({static_cast<uint64_t>(sources)...}).front();
  }

 private:
  struct World;
  void build(std::string_view mnemonic, const Options& options);
  void add_register(const isa::OperandRule& rule, isa::Type type, const Options& options,
                    std::vector<module::Operand>& to);

  std::string error_;
  std::unique_ptr<World> world_;
  std::vector<uint32_t> sources_, results_;  // register slots
};

}  // namespace heddle::exec::interp
