// "Did you mean": the known word nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heddle {

// Insertions, removals, replacements and swaps of neighbours that turn `a` into `b`; `limit` + 1 as soon as
// it is more than `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit = 64);

// Collects candidates one by one, so that no list needs to be built. Best: the smallest distance, then the
// first.
class NearestWord {
 public:
  explicit NearestWord(std::string_view word);
  void consider(std::string_view candidate);
  std::string_view best() const { return best_; }  // empty when nothing is near enough to be a slip

 private:
  std::string_view word_;
  std::string_view best_;
  std::size_t distance_;       // none so far: one more than a slip may have
  std::size_t beginning_ = 0;  // shared with the best
};

}  // namespace heddle
