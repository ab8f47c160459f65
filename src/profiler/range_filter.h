// Which launches are wanted by the ranges that they are in (ncu's --nvtx-include and --nvtx-exclude): a line
// each, `include EXPRESSION` or `exclude EXPRESSION`.
//
//   A,B      in both
//   name     a range that was started, and has not ended
//   A/B      of the thread's ranges one directly in the other; a single one is A/
//   A/*/B    with any number of ranges between
//   [A       the outermost one         A]    the innermost one
//   domain@  before any of them: in that domain, else in the default one
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ranges/marks.h"
#include "support/result.h"

namespace heddle::profiler {

class RangeFilter {
 public:
  bool empty() const { return lines_.empty(); }
  bool wants(const std::vector<ranges::Mark>& open) const;

 private:
  friend Result<RangeFilter> parse_range_filter(std::string_view lines);
  struct Part {
    std::string domain;
    bool nested = false, outermost = false, innermost = false;
    std::vector<std::string> names;
    bool fits(const std::vector<ranges::Mark>& open) const;
  };
  struct Line {
    bool include = true;
    std::vector<Part> parts;
  };
  static bool fits(const std::vector<std::string_view>& stack, std::size_t at, const Part& part,
                   std::size_t name);
  std::vector<Line> lines_;
};
Result<RangeFilter> parse_range_filter(std::string_view lines);

}  // namespace heddle::profiler
