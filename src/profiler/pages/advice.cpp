#include <algorithm>

#include "profiler/pages/report.h"

namespace heddle::profiler {

std::string_view name(Priority priority) {
  switch (priority) {
    case Priority::high: return "high";
    case Priority::medium: return "medium";
    case Priority::low: return "low";
  }
  return "";
}

namespace {

void find_line(GivenAdvice& one) {
  if (one.advice->line == nullptr) return;
  for (const auto& [place, counts] : one.kernel->lines)
    if (const double there = one.advice->line({counts, {}}); !place.first.empty() && there > one.of_line) {
      one.of_line = there;
      one.file = place.first;
      one.line = place.second;
    }
}

}  // namespace

std::vector<GivenAdvice> advice_for(const Profile& profile, const std::vector<KernelSum>& kernels) {
  std::vector<GivenAdvice> given;
  const auto judge = [&](const Advice& advice, const KernelSum* kernel, const Values& values) {
    // NaN, where nothing of the kind was done, is not above.
    GivenAdvice one{&advice, kernel, advice.value(values), advice.saves(values), "", 0, 0};
    if (!(one.value > advice.above) || !(one.saves > 0) || one.saves < advice.least) return;
    if (kernel != nullptr) find_line(one);
    given.push_back(std::move(one));
  };
  const Totals totals = totals_of(profile);
  for (const Advice& advice : all_advice()) {
    if (advice.of_program) {
      judge(advice, nullptr, {{}, {}, totals});
      continue;
    }
    for (const KernelSum& kernel : kernels) {
      const LaunchRecord& last = kernel.last;
      if (!last.counted || kernel.device.capability < advice.since || advice.until < kernel.device.capability)
        continue;
      judge(advice, &kernel, {kernel.counts, last.facts});
    }
  }
  return given;
}

}  // namespace heddle::profiler
