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

std::vector<GivenAdvice> advice_for(const std::vector<KernelSum>& kernels) {
  std::vector<GivenAdvice> given;
  for (const Advice& advice : all_advice())
    for (const KernelSum& kernel : kernels) {
      const LaunchRecord& last = *kernel.launches.back();
      if (!last.counted) continue;
      const Values values{kernel.counts, last.facts};
      // NaN, where nothing of the kind was done, is not above.
      GivenAdvice one{&advice, &kernel, advice.value(values), advice.saves(values), "", 0, 0};
      if (!(one.value > advice.above) || !(one.saves > 0)) continue;
      if (advice.of_lines)
        for (const auto& [place, counts] : kernel.lines)
          if (const double saves = advice.saves({counts, {}}); !place.first.empty() && saves > one.of_line) {
            one.of_line = saves;
            one.file = place.first;
            one.line = place.second;
          }
      given.push_back(std::move(one));
    }
  return given;
}

}  // namespace heddle::profiler
