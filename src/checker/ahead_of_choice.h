// Loads that are made ahead of a choice. Of `if (there) x = v; else x = 0;` compilers make a load of v and a
// selection that may not take it: what is loaded then is nobody's value.
#pragma once

#include <optional>
#include <vector>

#include "module/image.h"
#include "observe/observer.h"

namespace heddle::checker {

class AheadOfChoice {
 public:
  explicit AheadOfChoice(const module::Image& image) : image_(image), functions_(image.functions.size()) {}
  // By the text: everything that reads what this instruction loads is a selection of one of two values.
  bool loads(observe::Place place);

 private:
  using Choosing = std::vector<bool>;  // by register slot: nothing but selections reads it
  const module::Image& image_;
  std::vector<std::optional<Choosing>> functions_;
};

}  // namespace heddle::checker
