// What the writers of a random program's parts share: its text so far, and where names and registers come
// from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "isa/isa.h"
#include "ptx/random_instruction.h"

namespace heddle::ptx::testing {

class ProgramText {
 public:
  ProgramText(const std::function<uint32_t(uint32_t)>& choose, Setting setting)
      : choose_(choose), setting_(std::move(setting)), random_(setting_, choose) {}
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;

  uint32_t choose(uint32_t n) const { return choose_(n); }
  const Setting& setting() const { return setting_; }
  RandomInstructions& random() { return random_; }
  void line(const std::string& text) { text_ += text + '\n'; }
  std::string label() { return "$L" + std::to_string(labels_++); }
  std::string new_number() { return std::to_string(numbers_++); }  // of names in a scope
  std::string guard_always() { return (choose_(2) == 0 ? "@" : "@!") + random_.register_of("%p") + ' '; }
  bool has(isa::Opcode opcode, std::string_view form) const { return setting_.has(opcode, form); }

 protected:
  const std::function<uint32_t(uint32_t)>& choose_;
  const Setting setting_;
  RandomInstructions random_;
  std::string text_;

 private:
  uint32_t labels_ = 0, numbers_ = 0;
};

}  // namespace heddle::ptx::testing
