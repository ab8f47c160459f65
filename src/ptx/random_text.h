// Random PTX out of the instruction tables, for tests and fuzzers: every text is of the right shape, not of
// the right types. Where the randomness comes from is the caller's matter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "ptx/fit.h"
#include "support/draw.h"

namespace heddle::ptx::testing {

// A number below `n`; n is at least 1.
using Choose = std::function<uint32_t(uint32_t n)>;

// Reproducible randomness.
class Random {
 public:
  explicit Random(uint64_t seed) : draw_(seed) {}
  uint32_t operator()(uint32_t n) { return static_cast<uint32_t>(draw_.next() >> 32) % n; }

 private:
  Draw draw_;
};

class InstructionWriter {
 public:
  InstructionWriter(const isa::FormInfo& form, Choose choose) : form_(form), choose_(std::move(choose)) {}

  // "add.s32 %r1, %r2, 5": no guard, no ';'. Empty when the words
  // that were chosen do not go together.
  std::string write() {
    std::vector<isa::Word> words;
    std::string out(isa::name(form_.opcode));
    for (const isa::SlotRule& slot : form_.slots) {
      if (slot.optional && choose_(2) == 0) continue;
      words.push_back(slot.words[choose_(static_cast<uint32_t>(slot.words.size()))]);
      out += '.';
      out += isa::spelling(words.back());
    }
    if (!isa::match(form_, words, values_)) return {};
    const std::string operands = list(form_.operands, top_level);
    if (operands == kImpossible) return {};
    return operands.empty() ? out : out + ' ' + operands;
  }

 private:
  std::string name() {
    static const char* const names[] = {"%r1",    "%rd12", "$L__BB0_3", "foo", "_Z3barPf",
                                        "%tid.x", "v.w",   "%p",        "s[3]"};
    return names[choose_(6)];
  }

  std::string number() {
    static const char* const numbers[] = {"0",          "-1",  "5U",  "0x7F", "(1<<4)+WARP_SZ",
                                          "0f3F800000", "1.5", "017", "~0"};
    return numbers[choose_(9)];
  }

  std::string number(const isa::OperandRule& rule) {
    if (rule.allowed.empty()) return number();
    const isa::ImmediateRange& range = rule.allowed[choose_(static_cast<uint32_t>(rule.allowed.size()))];
    return std::to_string(range.first +
                          static_cast<int32_t>(choose_(static_cast<uint32_t>(range.last - range.first) + 1)));
  }

  std::string braced(unsigned count, bool write) {
    std::string out = "{";
    for (unsigned i = 0; i < count; ++i) {
      if (i != 0) out += ", ";
      out += write || choose_(4) != 0 ? name() : number();
    }
    return out + '}';
  }

  // `outer`: which operand the list in brackets is, or top_level.
  std::string list(std::span<const isa::OperandRule> rules, std::size_t outer) {
    std::vector<bool> present(256, true);
    std::vector<bool> decided(256, false);
    std::string out;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const isa::OperandRule& rule = rules[i];
      const uint8_t group = rule.optional_group;
      if (group != 0 && !decided[group]) {
        decided[group] = true;
        present[group] = (rule.optional_parent == 0 || present[rule.optional_parent]) && choose_(2) != 0;
      }
      if (rule.tied ? !values_.has(rule.tied_to) : group != 0 && !present[group]) continue;
      const std::size_t index = outer == top_level ? i : outer;
      if (rule.shape == isa::OperandShape::fragment && isa::fragment_count(form_, index, values_) == 0) {
        if (group == 0) return kImpossible;
        present[group] = false;
        continue;
      }
      if (!out.empty()) out += rule.piped ? "|" : ", ";
      out += operand(rule, index, outer == top_level);
    }
    return out;
  }

  std::string operand(const isa::OperandRule& rule, std::size_t index, bool top) {
    using Shape = isa::OperandShape;
    const bool write = rule.access != isa::Access::read;
    if (rule.may_sink && write && choose_(4) == 0) return "_";
    switch (rule.shape) {
      case Shape::value: {
        std::string negation;
        if (rule.may_negate && choose_(2) == 0) negation = takes_predicate(rule) ? "!" : "-";
        if (!rule.suffixes.empty() && choose_(2) == 0) {
          return negation + "%r7." +
                 std::string(
                     isa::spelling(rule.suffixes[choose_(static_cast<uint32_t>(rule.suffixes.size()))]));
        }
        return top && !write && negation.empty() && choose_(3) == 0 ? number(rule) : negation + name();
      }
      case Shape::register_: return "%r" + std::to_string(choose_(100));
      case Shape::immediate: return number(rule);
      case Shape::sink: return "_";
      case Shape::vector: {
        const unsigned count = top ? vector_count(rule, values_) : 1 + choose_(4);
        return count == 1 ? name() : braced(count, write);
      }
      case Shape::fragment: {
        const unsigned count = isa::fragment_count(form_, index, values_);
        return count == 1 && rule.bare && choose_(2) == 0 ? name() : braced(count, write);
      }
      case Shape::address: {
        static const char* const addresses[] = {"[%rd1]", "[%rd2+8]", "[foo+-4]",  "[16]",
                                                "[foo]",  "foo[2]",   "foo[%r1+1]"};
        const std::string address = addresses[choose_(7)];
        if (rule.suffixes.empty() || address[0] != '[' || choose_(3) != 0) return address;
        return "[%rd1]." + std::string(isa::spelling(
                               rule.suffixes[choose_(static_cast<uint32_t>(rule.suffixes.size()))]));
      }
      case Shape::texture:
      case Shape::surface:
      case Shape::tensor: return '[' + list(rule.inner, index) + ']';
      case Shape::label:
      case Shape::function:
      case Shape::prototype:
      case Shape::targets: return "foo" + std::to_string(choose_(3));
      case Shape::call_list: return choose_(3) == 0 ? "(a, 5, %r1)" : "(a)";
    }
    return {};
  }

  static constexpr std::size_t top_level = static_cast<std::size_t>(-1);
  static constexpr const char* kImpossible = "?";  // these words forbid an operand that must be there
  const isa::FormInfo& form_;
  Choose choose_;
  isa::SlotValues values_;
};

}  // namespace heddle::ptx::testing
