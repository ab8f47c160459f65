// Kernels as machines' operations, made once for all launches.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "module/image.h"
#include "timing/issued.h"

namespace heddle::clock {

class Programs {
 public:
  // `machine` stays. Any thread.
  std::shared_ptr<const timing::IssuedProgram> of(const std::shared_ptr<const module::Image>& image,
                                                  uint32_t entry, const timing::Machine& machine);

 private:
  struct Made {
    std::weak_ptr<const module::Image> image;
    std::shared_ptr<const timing::IssuedProgram> program;
  };
  std::mutex mutex_;
  std::map<std::tuple<const module::Image*, uint32_t, const timing::Machine*>, Made> made_;
};

}  // namespace heddle::clock
