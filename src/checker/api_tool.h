// Calls of CUDA and OpenCL that fail, told as memcheck tells them.
#pragma once

#include <memory>

#include "api/entry/listen.h"
#include "checker/message.h"

namespace heddle::checker {

class ApiTool final : public entry::Listener {
 public:
  explicit ApiTool(std::shared_ptr<Reporter> reporter) : reporter_(std::move(reporter)) {}
  void ended(const entry::CallFacts& call) override;

 private:
  const std::shared_ptr<Reporter> reporter_;
};

}  // namespace heddle::checker
