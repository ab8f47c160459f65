#include "module/names.h"

namespace heddle::module {

std::string Messages::unit_name(uint32_t unit) const {
  const auto& source = modules_[unit]->source;
  return source == nullptr ? "module " + std::to_string(unit) : source->name();
}

std::string Messages::place(uint32_t unit, uint32_t offset) const {
  const auto& source = modules_[unit]->source;
  if (source == nullptr) return unit_name(unit);
  const LineColumn at = source->locate(offset);
  return source->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void Messages::error(uint32_t unit, uint32_t offset, const std::string& message) {
  error(place(unit, offset) + ": error: " + message);
}

void Messages::error(const std::string& message) {
  if (messages_.size() < most_)
    messages_.push_back(message);
  else
    ++left_out_;
}

std::vector<std::string> Messages::take() {
  if (left_out_ != 0)
    messages_.push_back("error: " + std::to_string(left_out_) + " more errors are not shown");
  return std::move(messages_);
}

}  // namespace heddle::module
