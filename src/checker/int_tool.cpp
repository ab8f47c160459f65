#include "checker/int_tool.h"

#include <utility>

#include "checker/place_text.h"
#include "checker/record.h"
#include "runtime/module.h"

namespace heddle::checker {

namespace {

std::string numbers_text(const WrapEvents& events) {
  const auto number = [&](unsigned i) {
    const std::string text = std::to_string(events.sources[i]);
    return i != 0 && events.sources[i] < 0 ? "(" + text + ")" : text;
  };
  const std::string type = " of " + std::to_string(events.bits) + " bits";
  if (events.source_count == 0) return "a result is no integer" + type;
  switch (events.wrap) {
    case exec::Wrap::sum: return number(0) + " + " + number(1) + " is no integer" + type;
    case exec::Wrap::difference: return number(0) + " - " + number(1) + " is no integer" + type;
    case exec::Wrap::product: return number(0) + " * " + number(1) + " is no integer" + type;
    default: return number(0) + " * " + number(1) + " + " + number(2) + " is no integer" + type;
  }
}

std::string_view end_text(WrapEvents::End end) {
  switch (end) {
    case WrapEvents::End::branch: return "decides where a thread goes";
    case WrapEvents::End::stored: return "what comes of it is stored";
    default: return "is part of an address";
  }
}

}  // namespace

class IntTool::Watch final : public runtime::LaunchWatch, public observe::OperandObserver {
 public:
  Watch(IntTool& tool, const runtime::LaunchFacts& facts)
      : tool_(tool),
        image_(facts.launch.module->image),
        block_(facts.launch.shape.block),
        stack_(facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>()),
        flow_(*image_) {}
  observe::Observer* observer() override { return this; }
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::syncs | observe::accesses);
  }
  observe::ValueSink& sink() override { return flow_; }
  void ended(const runtime::LaunchEnd&) override {
    for (const auto& [place, events] : flow_.events()) tool_.tell(*image_, place, events, block_, stack_);
  }

 private:
  IntTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const exec::Dim3 block_;
  const std::vector<const void*> stack_;
  WrapFlow flow_;
};

std::unique_ptr<runtime::LaunchWatch> IntTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  return std::make_unique<Watch>(*this, facts);
}

// Once for a line.
void IntTool::tell(const module::Image& image, observe::Place place, const WrapEvents& events,
                   const exec::Dim3& block, const std::vector<const void*>& stack) {
  {
    const std::lock_guard lock(mutex_);
    if (!told_.insert(place_text(image, place).place()).second) return;
  }
  if (!reporter_->wants_error()) return;
  const CallText calls = call_text(image, place);
  const std::array<uint32_t, 3> thread = thread_index(block, events.thread);
  const std::string text = "Integer overflow: " + numbers_text(events);
  std::string detail = "\n    the result is taken as a signed number at " +
                       place_text(image, events.taken).text() + "\n    and " +
                       std::string(end_text(events.end)) + " at " + place_text(image, events.seen).text();
  if (place_text(image, place).file.empty()) detail += how_to_see_lines;
  reporter_->tell(MessageKind::error,
                  text + "\n    at " + calls.at + "\n    by thread " + triple(thread) + " in block " +
                      triple(events.block) + calls.frames + host_frames(stack, "at kernel launch time"),
                  detail, false, 0, 0,
                  value("kind", "Intcheck") + value("level", "Error") + who_record(thread, events.block) +
                      element("what", value("text", "Integer overflow") + value("size", events.bits / 8)) +
                      where_record(image, place) + host_stack_record(stack, "kernel launch time"));
}

}  // namespace heddle::checker
