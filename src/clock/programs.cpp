#include "clock/programs.h"

namespace heddle::clock {

std::shared_ptr<const timing::IssuedProgram> Programs::of(const std::shared_ptr<const module::Image>& image,
                                                          uint32_t entry, const timing::Machine& machine) {
  const std::lock_guard lock(mutex_);
  std::erase_if(made_, [](const auto& entry) { return entry.second.image.expired(); });
  Made& made = made_[{image.get(), entry, &machine}];
  if (made.program == nullptr)
    made = {image, std::make_shared<timing::IssuedProgram>(timing::issue_program(*image, entry, machine))};
  return made.program;
}

}  // namespace heddle::clock
