// Observes nothing: has a launch run by one thread, in the executor's own order or a given one.
#pragma once

#include "observe/schedule.h"

namespace heddle::checker {

class InOrder final : public observe::ScheduleObserver, private observe::Sink {
 public:
  explicit InOrder(const observe::Schedule* schedule) : schedule_(schedule) {}
  const observe::Schedule* schedule() const override { return schedule_; }
  observe::Sink& sink() override { return *this; }

 private:
  const observe::Schedule* const schedule_;
};

}  // namespace heddle::checker
