// Pieces of work of which something orders some and not others, and the orders that this allows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::checker {

class PartialOrder {
 public:
  // In the order in which they were asked for; `after`: numbers of what must come before, directly. Returns
  // its own number. Streams are named by any number.
  uint32_t add(uint64_t stream, std::span<const uint32_t> after);
  uint32_t count() const { return static_cast<uint32_t>(streams_.size()); }
  bool before(uint32_t first, uint32_t second) const;
  // Whether there is one order only.
  bool is_total() const;

  // A seed's order; the first four of any seed are of all kinds.
  std::vector<uint32_t> of_seed(uint64_t seed) const;
  static std::string_view text_of_seed(uint64_t seed);
  // Between the order in which they were asked for and another one that is allowed: after so many exchanges
  // of neighbours that nothing orders. All of those are allowed, too.
  static std::vector<uint32_t> on_the_way(std::span<const uint32_t> to, uint64_t exchanges);
  static uint64_t exchanges(std::span<const uint32_t> to);

 private:
  std::vector<uint64_t> streams_;                  // by number: the how manieth of the streams
  std::vector<uint64_t> known_;                    // the streams
  std::vector<std::vector<uint64_t>> all_before_;  // by number: bits
};

}  // namespace heddle::checker
