#include "exec/interp/eval/one_instruction.h"

#include <gtest/gtest.h>

#include "exec/interp/cluster.h"
#include "exec/interp/evals.gen.h"
#include "exec/interp/run.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

struct OneInstruction::World {
  std::shared_ptr<module::Image> image = std::make_shared<module::Image>();
  LoadedModule loaded;
  Launch launch;
  std::unique_ptr<Run> run;
  std::unique_ptr<Cluster> cluster;
  const isa::FormInfo* form = nullptr;

  module::Function& function() { return image->functions.front(); }
  Warp& warp() { return *cluster->blocks().front()->warps().front(); }
  Activation& activation() { return *warp().current().activation; }
};

OneInstruction::OneInstruction(std::string_view mnemonic, const Options& options)
    : world_(std::make_unique<World>()) {
  build(mnemonic, options);
}
OneInstruction::OneInstruction(OneInstruction&&) noexcept = default;
OneInstruction::~OneInstruction() = default;

namespace {

std::vector<std::string_view> split_words(std::string_view mnemonic) {
  std::vector<std::string_view> words;
  while (!mnemonic.empty()) {
    const std::size_t dot = mnemonic.find('.');
    words.push_back(mnemonic.substr(0, dot));
    mnemonic = dot == std::string_view::npos ? "" : mnemonic.substr(dot + 1);
  }
  return words;
}

}  // namespace

void OneInstruction::build(std::string_view text, const Options& options) {
  World& w = *world_;
  std::vector<isa::Word> words;
  isa::Opcode opcode{};
  for (const std::string_view part : split_words(text)) {
    if (opcode == isa::Opcode::none) {
      opcode = isa::find_opcode(part);
    } else {
      words.push_back(isa::find_word(part));
    }
  }
  module::Image& image = *w.image;
  image.map_f64_to_f32 = options.map_f64_to_f32;
  image.mnemonics.push_back({std::string(text), {}, 0, {}});
  image.functions.emplace_back();
  module::Function& function = image.functions.back();
  function.name = "one";
  function.entry = function.defined = true;
  function.code.emplace_back();

  error_ = "no form of it fits";
  for (const isa::FormInfo& form : isa::forms(opcode)) {
    isa::SlotValues values;
    if (!isa::match(form, words, values)) continue;
    if (options.operands != 0 && form.operands.size() != options.operands) continue;
    image.mnemonics.front().values = values;
    image.mnemonics.front().form = form.form;
    function.code.front().form = form.form;
    function.code.front().opcode = opcode;
    function.operands.clear();
    function.register_slots = 0;
    sources_.clear();
    results_.clear();
    w.form = &form;
    std::vector<module::Operand> children;
    bool good = true, vector = false;
    std::size_t immediate = 0;
    for (const isa::OperandRule& rule : form.operands) {
      module::Operand operand;
      const isa::Type type = isa::resolve(rule.type, values, 64);
      operand.type = type;
      if (rule.optional_group != 0 && !options.every_operand) {
        function.operands.push_back(operand);
        continue;
      }
      switch (rule.shape) {
        case isa::OperandShape::immediate:
          good = good && immediate < options.immediates.size();
          operand.kind = module::OperandKind::immediate;
          if (good) operand.value = options.immediates[immediate++];
          function.operands.push_back(operand);
          break;
        case isa::OperandShape::vector: {
          vector = true;
          const unsigned count = rule.count != 0 ? rule.count : options.vector;
          good = good && (options.vector == 0 || count == options.vector);
          operand.kind = module::OperandKind::vector;
          operand.first_child = static_cast<uint32_t>(form.operands.size() + children.size());
          operand.child_count = count;
          function.operands.push_back(operand);
          for (unsigned i = 0; i < count; ++i) add_register(rule, type, options, children);
          break;
        }
        case isa::OperandShape::value:
        case isa::OperandShape::register_: add_register(rule, type, options, function.operands); break;
        default: good = false; break;
      }
    }
    if (!good || vector != (options.vector != 0)) continue;
    function.code.front().operand_count = static_cast<uint8_t>(form.operands.size());
    function.operands.insert(function.operands.end(), children.begin(), children.end());
    error_.clear();
    break;
  }
  if (!error_.empty()) return;

  const auto device = arch::find_device(options.device);
  if (!device) {
    error_ = "no such device";
    return;
  }
  w.loaded.image = w.image;
  w.launch.module = &w.loaded;
  w.launch.shape = {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, false};
  w.launch.device = *device;
  w.run = std::make_unique<Run>(w.launch);
  w.cluster = std::make_unique<Cluster>(*w.run, Dim3{0, 0, 0});
}

void OneInstruction::add_register(const isa::OperandRule& rule, isa::Type type, const Options& options,
                                  std::vector<module::Operand>& to) {
  module::Operand operand;
  operand.kind = module::OperandKind::reg;
  operand.type = type;
  operand.declared = options.registers != isa::Type{} ? options.registers : type;
  uint32_t& slots = world_->function().register_slots;
  const uint32_t size = isa::info(type).bits > 64 ? 2 : 1;
  operand.reg = slots;
  for (uint32_t i = 0; i < size; ++i, ++slots) {
    if (rule.access != isa::Access::read) results_.push_back(slots);
    if (rule.access != isa::Access::write) sources_.push_back(slots);
  }
  to.push_back(operand);
}

bool OneInstruction::has_eval() const { return error_.empty() && find_eval(world_->form->form) != nullptr; }

std::vector<uint64_t> OneInstruction::run(const std::vector<uint64_t>& sources) {
  World& w = *world_;
  constexpr int lane = 5;
  std::vector<uint64_t>& registers = w.activation().registers;
  const auto at = [&](uint32_t slot) -> uint64_t& { return registers[slot * warp_size + lane]; };
  for (std::size_t i = 0; i < sources_.size() && i < sources.size(); ++i) at(sources_[i]) = sources[i];
  Step step(w.warp(), w.activation(), w.function().code.front(), Mask{1} << lane);
  find_eval(w.form->form)(step);
  std::vector<uint64_t> results;
  for (const uint32_t slot : results_) results.push_back(at(slot));
  return results;
}

TEST(OneInstruction, RunsAnInstructionOnRegisters) {
  OneInstruction add("add.rn.f32");
  ASSERT_EQ(add.error(), "");
  EXPECT_EQ(add.sources(), 2u);
  EXPECT_EQ(add(0x3f80'0000, 0x4000'0000), 0x4040'0000u);
}

}  // namespace heddle::exec::interp
