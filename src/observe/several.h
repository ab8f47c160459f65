// Several observers of one launch, as one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "observe/observer.h"

namespace heddle::observe {

// Each is told what it needs and nothing else. A new event of Sink needs a line in several.cpp.
class Several final : public Observer {
 public:
  explicit Several(std::vector<Observer*> observers);
  ~Several() override;
  Needs needs() const override { return needs_; }
  Sink& sink() override;

 private:
  class Fan;
  const std::vector<Observer*> observers_;
  const Needs needs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Fan>> fans_;
};

}  // namespace heddle::observe
