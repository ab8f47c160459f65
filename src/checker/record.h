// Findings as records of XML, as NVIDIA's tool saves them and takes them back to suppress what is known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "module/image.h"
#include "observe/observer.h"
#include "support/result.h"

namespace heddle::checker {

// A record is what stands in <record>, without blanks between elements.
std::string element(std::string_view name, std::string_view inside);
std::string value(std::string_view name, std::string_view text);
std::string value(std::string_view name, uint64_t number);

std::string who_record(const std::array<uint32_t, 3>& thread, const std::array<uint32_t, 3>& block);
std::string where_record(const module::Image& image, observe::Place place);
// `at`: "kernel launch time"
std::string host_stack_record(const std::vector<const void*>& stack, std::string_view at,
                              std::string_view name = "hostStack");

struct Element {
  std::string name, text;  // text: of one without elements
  std::vector<Element> inside;
  const Element* find(std::string_view name) const;
};
// A whole document, or records one behind the other; else what is wrong with it, by its line.
Result<Element, std::string> read_elements(std::string_view text);
std::string printed(const Element& element, unsigned depth);

// Those of a file that --xml saved, perhaps edited since.
class Suppressions {
 public:
  explicit Suppressions(Element document) : document_(std::move(document)) {}
  // API errors, reads of unset memory and pairs of racing lines, as NVIDIA's tool, and exceptional numbers:
  // what the record says must be there, numbers the same, texts the same or as its regular expression has
  // them, and the first frames of its stacks. Texts of messages, addresses and counts are not looked at.
  bool have(std::string_view record) const;

 private:
  Element document_;
};

}  // namespace heddle::checker
