#include "support/spelling.h"

#include <algorithm>
#include <array>

namespace heddle {

namespace {

constexpr std::size_t kLongest = 64;  // longer words are nobody's slip

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || a.size() > kLongest || b.size() > kLongest) return limit + 1;
  // Optimal string alignment: three rows of the table are enough.
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    std::size_t smallest = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
      smallest = std::min(smallest, row[j]);
    }
    // A swap looks two rows back, so a row may exceed the limit by one and the end still meet it.
    if (smallest > limit + 1) return limit + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

NearestWord::NearestWord(std::string_view word)
    : word_(word), distance_(std::max<std::size_t>(1, word.size() / 3) + 1) {}

void NearestWord::consider(std::string_view candidate) {
  const std::size_t distance = edit_distance(word_, candidate, distance_);
  if (distance > distance_ || distance >= std::max(word_.size(), candidate.size())) return;
  const auto differ = std::mismatch(word_.begin(), word_.end(), candidate.begin(), candidate.end());
  const auto beginning = static_cast<std::size_t>(differ.first - word_.begin());
  if (distance == distance_ && (best_.empty() || beginning <= beginning_)) return;
  distance_ = distance;
  beginning_ = beginning;
  best_ = candidate;
}

}  // namespace heddle
