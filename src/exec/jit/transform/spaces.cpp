#include "exec/jit/transform/spaces.h"

#include <optional>
#include <vector>

#include "exec/jit/ir/ops.h"
#include "exec/memory_map.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "module/image.h"

namespace heddle::exec::jit {

namespace {

using module::Space;

// What is known of a value: nothing yet, that it is an address in a space, or that it may be anything.
enum class Known : uint8_t { open, global, shared, local, anything };

Known of_space(Space space) {
  switch (space) {
    case Space::global: return Known::global;
    case Space::shared: return Known::shared;
    case Space::local: return Known::local;
    default: return Known::anything;
  }
}

bool is_space(Known k) { return k == Known::global || k == Known::shared || k == Known::local; }

constexpr unsigned deepest_sum = 8;

class Spaces {
 public:
  Spaces(llvm::Function& thread, const ThreadProgram& program)
      : thread_(thread),
        address_bits_(program.address_bits),
        in_cluster_(program.in_cluster),
        // Who observes is told of every load.
        parameter_bytes_(program.observed == observe::nothing ? program.parameter_bytes : 0),
        windows_(windows(program.address_bits)) {}

  bool run() {
    std::vector<llvm::CallInst*> accesses;
    std::vector<llvm::Instruction*> conversions;
    bool changed = false;
    for (llvm::BasicBlock& block : thread_) {
      for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
        if (is_generic_access(i) && take_parameters(llvm::cast<llvm::CallInst>(i))) {
          changed = true;
          continue;
        }
        if (is_generic_access(i)) accesses.push_back(llvm::cast<llvm::CallInst>(&i));
        if (base_of_conversion(i) != Known::open) conversions.push_back(&i);
      }
    }
    if (accesses.empty() && conversions.empty()) return changed;
    for (llvm::CallInst* access : accesses) visit(access->getArgOperand(0));
    for (llvm::Instruction* conversion : conversions) visit(conversion->getOperand(0));
    solve();
    for (llvm::CallInst* access : accesses) changed |= rewrite_access(*access);
    for (llvm::Instruction* conversion : conversions) changed |= rewrite_conversion(*conversion);
    if (changed)
      for (llvm::WeakTrackingVH& dead : dead_)
        if (dead) llvm::RecursivelyDeleteTriviallyDeadInstructions(dead);
    return changed;
  }

 private:
  static bool is_generic_access(const llvm::Instruction& i) {
    const auto op = op_of(&i);
    if (!op || (*op != Op::load && *op != Op::store && *op != Op::atomic && *op != Op::reduce &&
                *op != Op::prefetch))
      return false;
    return immediate(llvm::cast<llvm::CallInst>(i), 1) == static_cast<uint64_t>(Space::generic);
  }

  // A sum of numbers.
  static std::optional<uint64_t> number(const llvm::Value* value, unsigned depth = 0) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return constant->getBitWidth() <= 64 ? std::optional(constant->getZExtValue()) : std::nullopt;
    // cvta, which leaves a parameter's address as it is.
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
      if (const auto* way = llvm::dyn_cast<llvm::ConstantInt>(select->getCondition()))
        return number(way->isOne() ? select->getTrueValue() : select->getFalseValue(), depth);
    const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add || depth == deepest_sum)
      return std::nullopt;
    const auto a = number(sum->getOperand(0), depth + 1), b = number(sum->getOperand(1), depth + 1);
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }

  // A load from a known place of the launch's parameters, unless it would fault.
  bool take_parameters(llvm::CallInst& access) {
    if (!is_op(&access, Op::load)) return false;
    const auto address = number(access.getArgOperand(0));
    llvm::Type* type = access.getType();
    auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    llvm::Type* element = structure == nullptr ? type : structure->getElementType(0);
    const uint64_t parts = structure == nullptr ? 1 : structure->getNumElements(),
                   part = element->getIntegerBitWidth() / 8, bytes = part * parts;
    if (!address || part > 8) return false;
    const uint64_t offset = *address - windows_.param_base;
    if (offset % bytes != 0 || bytes > parameter_bytes_ || offset > parameter_bytes_ - bytes) return false;
    llvm::IRBuilder<> b(&access);
    llvm::Value* result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < parts; ++i) {
      llvm::Value* one =
          call_op(b, Op::parameter, element,
                  {llvm::ConstantInt::get(access.getArgOperand(1)->getType(), offset + uint64_t{i} * part)});
      result = structure == nullptr ? one : b.CreateInsertValue(result, one, i);
    }
    access.replaceAllUsesWith(result);
    access.eraseFromParent();
    return true;
  }

  // cvta.to: x - base of a window, in either of its forms.
  Known base_of_conversion(const llvm::Instruction& i) const {
    if (i.getOpcode() != llvm::Instruction::Sub && i.getOpcode() != llvm::Instruction::Add)
      return Known::open;
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    if (constant == nullptr || constant->getBitWidth() != 64) return Known::open;
    const uint64_t base =
        i.getOpcode() == llvm::Instruction::Sub ? constant->getZExtValue() : -constant->getZExtValue();
    if (base == windows_.shared_base) return Known::shared;
    if (base == windows_.local_base) return Known::local;
    return Known::open;
  }

  // An operand that an address can pass through; the others are offsets.
  bool passes(const llvm::Instruction& i) const {
    switch (i.getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::PHI:
      case llvm::Instruction::Select: return true;
      case llvm::Instruction::Or: return llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint();
      // In 64-bit programs half an address is none.
      case llvm::Instruction::ZExt:
      case llvm::Instruction::Trunc: return address_bits_ == 32;
      default: return false;
    }
  }

  void visit(llvm::Value* address) {
    std::vector<llvm::Value*> open{address};
    while (!open.empty()) {
      auto* i = llvm::dyn_cast<llvm::Instruction>(open.back());
      open.pop_back();
      if (i == nullptr || !known_.try_emplace(i, Known::open).second) continue;
      order_.push_back(i);
      if (passes(*i)) open.insert(open.end(), i->op_begin(), i->op_end());
    }
  }

  Known known(llvm::Value* value) const {
    if (llvm::isa<llvm::UndefValue>(value)) return Known::open;
    const auto found = known_.find(value);
    return found == known_.end() ? Known::anything : found->second;
  }

  static Known meet(Known a, Known b) {
    if (a == Known::open) return b;
    if (b == Known::open || a == b) return a;
    return Known::anything;
  }

  Known transfer(llvm::Instruction& i) const {
    if (const auto op = op_of(&i)) {
      if (*op == Op::generic)
        return of_space(static_cast<Space>(immediate(llvm::cast<llvm::CallInst>(i), 1)));
      return *op == Op::symbol ? Known::global : Known::anything;
    }
    if (!passes(i)) return Known::anything;
    switch (i.getOpcode()) {
      case llvm::Instruction::PHI: {
        Known k = Known::open;
        for (llvm::Value* v : llvm::cast<llvm::PHINode>(i).incoming_values()) k = meet(k, known(v));
        return k;
      }
      case llvm::Instruction::Select: return meet(known(i.getOperand(1)), known(i.getOperand(2)));
      case llvm::Instruction::Sub: {
        const Known a = known(i.getOperand(0));
        return is_space(known(i.getOperand(1))) ? Known::anything : a;
      }
      case llvm::Instruction::Add:
      case llvm::Instruction::Or: {
        const Known a = known(i.getOperand(0)), b = known(i.getOperand(1));
        if (a == Known::open || b == Known::open)
          return is_space(a) || is_space(b) ? meet(a, b) : Known::open;
        if (is_space(a) == is_space(b)) return Known::anything;
        return is_space(a) ? a : b;
      }
      default: return known(i.getOperand(0));
    }
  }

  // Optimistic: values only fall, from open through a space to anything.
  void solve() {
    for (bool again = true; again;) {
      again = false;
      for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
        Known& now = known_[*it];
        if (now == Known::anything) continue;
        const Known next = transfer(**it);
        if (next == now || next == Known::open) continue;
        now = now == Known::open ? next : Known::anything;
        again = true;
      }
    }
  }

  // The operands that an address passes through to this one.
  std::vector<unsigned> sources(llvm::Instruction& i) const {
    std::vector<unsigned> out;
    const bool all = llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i);
    for (unsigned k = llvm::isa<llvm::SelectInst>(i) ? 1 : 0; k < i.getNumOperands(); ++k)
      if ((all || is_space(known(i.getOperand(k)))) && !llvm::isa<llvm::UndefValue>(i.getOperand(k)))
        out.push_back(k);
    return out;
  }

  // The same address, in its space. First copies of all that it is made of, so that loops find each other;
  // then their operands.
  llvm::Value* in_space(llvm::Value* address) {
    std::vector<llvm::Value*> open{address};
    std::vector<llvm::Instruction*> fresh;
    while (!open.empty()) {
      auto* i = llvm::cast<llvm::Instruction>(open.back());
      open.pop_back();
      if (twins_.contains(i)) continue;
      if (op_of(i)) {
        twins_[i] = llvm::cast<llvm::CallInst>(i)->getArgOperand(0);  // of generic()
        continue;
      }
      llvm::Instruction* twin = i->clone();
      // A disjoint or stays one: a window begins where the offset has no bits.
      if (i->getOpcode() != llvm::Instruction::Or) twin->dropPoisonGeneratingFlags();
      twin->insertBefore(i);
      twins_[i] = twin;
      fresh.push_back(i);
      for (const unsigned k : sources(*i)) open.push_back(i->getOperand(k));
    }
    for (llvm::Instruction* i : fresh) {
      auto* twin = llvm::cast<llvm::Instruction>(twins_[i]);
      for (const unsigned k : sources(*i)) twin->setOperand(k, twins_[i->getOperand(k)]);
    }
    return twins_[address];
  }

  bool rewrite_access(llvm::CallInst& access) {
    llvm::Value* address = access.getArgOperand(0);
    const Known k = known(address);
    if (!is_space(k)) return false;
    Space space = Space::global;
    if (k != Known::global) {
      space = k == Known::shared ? Space::shared : Space::local;
      if (space == Space::shared && in_cluster_) add_access_flags(access, access_of_cluster);
      access.setArgOperand(0, in_space(address));
      dead_.emplace_back(address);
    }
    access.setArgOperand(
        1, llvm::ConstantInt::get(access.getArgOperand(1)->getType(), static_cast<uint64_t>(space)));
    return true;
  }

  bool rewrite_conversion(llvm::Instruction& conversion) {
    llvm::Value* address = conversion.getOperand(0);
    if (known(address) != base_of_conversion(conversion)) return false;
    conversion.replaceAllUsesWith(in_space(address));
    dead_.emplace_back(&conversion);
    return true;
  }

  llvm::Function& thread_;
  const unsigned address_bits_;
  const bool in_cluster_;
  const uint64_t parameter_bytes_;
  const WindowMap& windows_;
  llvm::DenseMap<llvm::Value*, Known> known_;
  std::vector<llvm::Instruction*> order_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> twins_;
  std::vector<llvm::WeakTrackingVH> dead_;
};

}  // namespace

bool infer_spaces(llvm::Function& thread, const ThreadProgram& program) {
  return Spaces(thread, program).run();
}

}  // namespace heddle::exec::jit
