#include "checker/float_tool.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "checker/float_flow.h"
#include "checker/place_text.h"
#include "checker/record.h"
#include "runtime/module.h"

namespace heddle::checker {

namespace {

constexpr std::string_view birth_names[births] = {"NaN", "Infinity", "Division by zero", "Subnormal number",
                                                  "Cancellation"};

std::string_view type_text(isa::Type type) {
  switch (exec::format_of(type).mantissa) {
    case 52: return "double";
    case 10: return "half";
    case 7: return "bfloat16";
    default: return "float";
  }
}

std::string times(uint64_t count) { return std::to_string(count) + (count == 1 ? " time" : " times"); }

std::string_view step_text(FlowStep::Kind kind) {
  using Kind = FlowStep::Kind;
  switch (kind) {
    case Kind::carried: return "goes on";
    case Kind::becomes_nan: return "becomes a NaN";
    case Kind::lost: return "gives an ordinary number";
    case Kind::compared: return "decides a comparison";
    case Kind::tested: return "is tested for";
    case Kind::converted: return "is made a number of another kind";
    case Kind::stored: return "is stored";
    case Kind::passed: return "may be passed on";
    default: return "may be stored";
  }
}

}  // namespace

// One line, one kind.
struct FloatTool::Group {
  Birth birth{};
  std::vector<observe::Place> places;
  uint64_t count = 0;
  observe::Place first_place;
  const FirstBirth* first = nullptr;
  isa::Type type{};
  std::string key;
};

class FloatTool::Watch final : public runtime::LaunchWatch, public observe::ValueObserver {
 public:
  Watch(FloatTool& tool, const runtime::LaunchFacts& facts)
      : tool_(tool),
        image_(facts.launch.module->image),
        grid_(facts.launch.shape.grid),
        block_(facts.launch.shape.block),
        launch_(facts.grid_id),
        stack_(facts.submission != nullptr ? facts.submission->stack : std::vector<const void*>()) {}

  observe::Observer* observer() override { return this; }
  observe::Needs needs() const override { return observe::nothing; }
  uint8_t values() const override {
    const unsigned kinds = tool_.settings_.float_kinds;
    unsigned values = observe::counts_carried;
    if ((kinds & (bit(Birth::nan) | bit(Birth::infinity) | bit(Birth::division))) != 0)
      values |= observe::not_finite;
    if ((kinds & bit(Birth::subnormal)) != 0) values |= observe::subnormals;
    if ((kinds & bit(Birth::cancellation)) != 0) values |= observe::cancellations;
    return static_cast<uint8_t>(values);
  }
  observe::ValueSink& sink() override {
    const std::lock_guard lock(mutex_);
    return parts_.emplace_back(*image_, std::array{grid_.x, grid_.y, grid_.z}, launch_,
                               tool_.settings_.float_kinds);
  }

  void ended(const runtime::LaunchEnd&) override {
    std::map<observe::Place, FloatEvents> all;
    for (Part& part : parts_)
      part.counter.each([&](observe::Place place, const FloatEvents& events) { all[place].add(events); });
    if (!all.empty()) tool_.ended(image_, std::move(all), launch_, {block_, stack_});
  }

 private:
  struct Part final : observe::ValueSink, observe::CarriedSink {  // of one thread that runs blocks
    Part(const module::Image& image, std::array<uint32_t, 3> grid, uint64_t launch, unsigned kinds)
        : counter(image, grid, launch, kinds) {}
    void value(const observe::Value& value) override { counter.value(value); }
    void carried(observe::Place place, const observe::Carried& carried) override {
      counter.carried(place, carried);
    }
    FloatCounter counter;
  };
  FloatTool& tool_;
  const std::shared_ptr<const module::Image> image_;
  const exec::Dim3 grid_, block_;
  const uint64_t launch_;
  const std::vector<const void*> stack_;
  std::mutex mutex_;
  std::deque<Part> parts_;
};

std::unique_ptr<runtime::LaunchWatch> FloatTool::launch(const runtime::LaunchFacts& facts) {
  if (!filter_.wants(facts.kernel.function().name)) return nullptr;
  return std::make_unique<Watch>(*this, facts);
}

void FloatTool::ended(const std::shared_ptr<const module::Image>& image,
                      std::map<observe::Place, FloatEvents> events, uint64_t launch, Shape shape) {
  const std::lock_guard lock(mutex_);
  OfImage& of = images_[image.get()];
  of.image = image;
  for (const auto& [place, more] : events) of.events[place].add(more);
  launches_.emplace(launch, std::move(shape));
  tell(of, false);
  // Of launches in which nothing was first nothing need be known.
  std::erase_if(launches_, [&](const auto& known) {
    return std::ranges::none_of(images_, [&](const auto& one) {
      return std::ranges::any_of(one.second.events, [&](const auto& at) {
        return std::ranges::any_of(at.second.first,
                                   [&](const FirstBirth& f) { return f.launch == known.first; });
      });
    });
  });
}

void FloatTool::tell() {
  const std::lock_guard lock(mutex_);
  for (const auto& [image, of] : images_) tell(of, true);
}

// What is told grows while a program runs: the newest of a number counts. Not for each of many launches.
void FloatTool::tell(const OfImage& of, bool all) {
  std::map<std::string, Group> groups;
  for (const auto& [place, events] : of.events)
    for (std::size_t k = 0; k < births; ++k) {
      if (events.born[k] == 0) continue;
      std::string key = std::to_string(k) + std::string(type_text(events.type)) + ' ' +
                        place_text(*of.image, place).place();
      Group& group = groups[key];
      const FirstBirth& first = events.first[k];
      if (group.first == nullptr || !group.first->before(first.launch, first.block, first.thread))
        group.first = &first, group.first_place = place;
      group.birth = static_cast<Birth>(k), group.type = events.type;
      group.count += events.born[k];
      group.places.push_back(place);
      group.key = std::move(key);
    }
  for (const auto& [key, group] : groups) {
    Told& told = told_[key];
    if (told.number == 0) told.number = static_cast<uint32_t>(told_.size());
    if (group.count == told.count || (!all && group.count < 2 * told.count)) continue;
    tell(of, group, told);
  }
}

void FloatTool::tell(const OfImage& of, const Group& group, Told& told) {
  told.count = group.count;
  const module::Image& image = *of.image;
  const CallText calls = call_text(image, group.first_place);
  const auto launch = launches_.find(group.first->launch);
  const Shape none, &shape = launch == launches_.end() ? none : launch->second;
  const std::array<uint32_t, 3> thread = thread_index(shape.block, group.first->thread);
  const std::string_view name = birth_names[static_cast<std::size_t>(group.birth)];

  // What becomes of it, by line.
  std::map<std::pair<std::string, FlowStep::Kind>, uint64_t> lines;
  std::vector<std::pair<std::string, FlowStep::Kind>> order;
  bool used = false, seen = group.birth == Birth::subnormal || group.birth == Birth::cancellation;
  if (!seen)
    for (const observe::Place place : group.places) {
      FloatFlow flow(image, of.events);
      // A division may have given either.
      for (const bool infinite : {false, true}) {
        if (group.birth == Birth::nan && infinite) continue;
        if (group.birth == Birth::infinity && !infinite) continue;
        const std::vector<FlowStep> steps = flow.from(place, infinite);
        seen |= FloatFlow::is_seen(steps), used |= FloatFlow::is_used(steps);
        for (const FlowStep& step : steps) {
          const auto key = std::pair(place_text(image, step.place).text(), step.kind);
          const auto [found, fresh] = lines.try_emplace(key, 0);
          if (fresh) order.push_back(key);
          found->second += step.count;
        }
      }
    }
  // Compilers compute ahead of a choice what may be a NaN where it is not chosen.
  if (!seen && !used) return;
  std::string detail = "\n    " + group.first->text;
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    detail += "\n    " + std::string(step_text(order[i].second)) + " at " + order[i].first;
    if (const uint64_t count = lines[order[i]]; count != 0) detail += " [" + times(count) + ']';
  }
  if (order.size() > most) detail += "\n    and at " + std::to_string(order.size() - most) + " more places";
  if (!seen) detail += "\n    nothing is stored or decided by it";
  if (place_text(image, group.first_place).file.empty()) detail += how_to_see_lines;

  const std::string text = (seen ? "Error: " : "Warning: ") + std::string(name) + " (" +
                           std::string(type_text(group.type)) + ") at " + calls.at + " [" +
                           times(group.count) + "]\n    first by thread " + triple(thread) + " in block " +
                           triple(group.first->block_index) + calls.frames +
                           host_frames(shape.stack, "at kernel launch time");
  reporter_->tell(
      MessageKind::exception, text, detail, !seen, told.number, group.count,
      value("kind", "Fpcheck") + who_record(thread, group.first->block_index) +
          element("what", value("text", std::string(name) + " (" + std::string(type_text(group.type)) + ")") +
                              value("type", name) + value("format", type_text(group.type)) +
                              value("count", group.count)) +
          where_record(image, group.first_place) + host_stack_record(shape.stack, "kernel launch time"));
}

}  // namespace heddle::checker
