#include "checker/partial_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "support/draw.h"

namespace heddle::checker {

namespace {

enum class Kind : uint8_t { last_stream_first, first_stream_first, any };
Kind kind_of(uint64_t seed) {
  return seed % 4 == 0 ? Kind::last_stream_first : seed % 4 == 1 ? Kind::first_stream_first : Kind::any;
}

}  // namespace

uint32_t PartialOrder::add(uint64_t stream, std::span<const uint32_t> after) {
  const uint32_t number = count();
  auto at = std::ranges::find(known_, stream);
  if (at == known_.end()) at = known_.insert(at, stream);
  streams_.push_back(static_cast<uint64_t>(at - known_.begin()));
  std::vector<uint64_t> all(number / 64 + 1);
  for (const uint32_t one : after) {
    for (std::size_t i = 0; i < all_before_[one].size(); ++i) all[i] |= all_before_[one][i];
    all[one / 64] |= uint64_t{1} << one % 64;
  }
  all_before_.push_back(std::move(all));
  return number;
}

bool PartialOrder::before(uint32_t first, uint32_t second) const {
  return first < second && (all_before_[second][first / 64] >> first % 64 & 1) != 0;
}

// Neighbours that something orders can only be so.
bool PartialOrder::is_total() const {
  for (uint32_t i = 1; i < count(); ++i)
    if (!before(i - 1, i)) return false;
  return true;
}

std::vector<uint32_t> PartialOrder::of_seed(uint64_t seed) const {
  const Kind kind = kind_of(seed);
  Draw draw(seed);
  std::vector<uint32_t> waiting(count()), ready, order;  // waiting: for so many
  for (uint32_t i = 0; i < count(); ++i) {
    for (const uint64_t bits : all_before_[i]) waiting[i] += static_cast<uint32_t>(std::popcount(bits));
    if (waiting[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const auto of_stream = [&](uint32_t one) { return std::pair(streams_[one], one); };
    const auto next = kind == Kind::last_stream_first ? std::ranges::max_element(ready, {}, of_stream)
                      : kind == Kind::first_stream_first
                          ? std::ranges::min_element(ready, {}, of_stream)
                          : ready.begin() + static_cast<std::ptrdiff_t>(draw.below(ready.size()));
    const uint32_t one = *next;
    order.push_back(one);
    ready.erase(next);
    for (uint32_t i = one + 1; i < count(); ++i)
      if (before(one, i) && --waiting[i] == 0) ready.push_back(i);
  }
  return order;
}

std::string_view PartialOrder::text_of_seed(uint64_t seed) {
  switch (kind_of(seed)) {
    case Kind::last_stream_first: return "streams one behind the other, the last one first";
    case Kind::first_stream_first: return "streams one behind the other, the first one first";
    default: return "the work of streams in any order";
  }
}

uint64_t PartialOrder::exchanges(std::span<const uint32_t> to) {
  uint64_t all = 0;
  for (std::size_t i = 0; i < to.size(); ++i)
    for (std::size_t k = i + 1; k < to.size(); ++k) all += to[i] > to[k];
  return all;
}

// Each in its turn is brought forward to its place, past what the other order has behind it.
std::vector<uint32_t> PartialOrder::on_the_way(std::span<const uint32_t> to, uint64_t exchanges) {
  std::vector<uint32_t> order(to.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t place = 0; place < to.size() && exchanges != 0; ++place) {
    auto at = static_cast<std::size_t>(std::ranges::find(order, to[place]) - order.begin());
    for (; at > place && exchanges != 0; --at, --exchanges) std::swap(order[at - 1], order[at]);
  }
  return order;
}

}  // namespace heddle::checker
