#include "support/interner.h"

#include <bit>
#include <cstring>

namespace heddle {

namespace {

constexpr std::size_t kFirstTable = 256;

uint64_t load(const char* at, std::size_t count) {
  uint64_t value = 0;
  std::memcpy(&value, at, count);
  return value;
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Two multiplications for names of up to 16 bytes, which nearly all are.
uint32_t hash_of(std::string_view text) {
  constexpr uint64_t k0 = 0x9e3779b97f4a7c15, k1 = 0xd6e8feb86659fd93;
  const char* at = text.data();
  std::size_t left = text.size();
  uint64_t state = left * k1;
  for (; left > 16; left -= 16, at += 16) state = mix(load(at, 8) ^ state, load(at + 8, 8) ^ k0);
  uint64_t a, b;
  if (left >= 8) {
    a = load(at, 8);
    b = load(at + left - 8, 8);
  } else if (left >= 4) {
    a = load(at, 4);
    b = load(at + left - 4, 4);
  } else {
    a = left > 0 ? load(at, 1) | load(at + left / 2, 1) << 8 | load(at + left - 1, 1) << 16 : 0;
    b = 0;
  }
  return static_cast<uint32_t>(mix(mix(a ^ state, b ^ k0), k1));
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

Interner::Interner() : table_(kFirstTable) {
  names_.emplace_back();
  hashes_.push_back(0);
}

std::size_t Interner::slot_of(std::string_view text, uint32_t hash) const {
  const std::size_t last = table_.size() - 1;
  for (std::size_t slot = hash & last;; slot = (slot + 1) & last) {
    const uint32_t id = table_[slot];
    if (id == 0 || (hashes_[id] == hash && same(names_[id], text))) return slot;
  }
}

NameId Interner::insert(std::string_view text, uint32_t hash, std::size_t slot) {
  const auto id = static_cast<NameId>(names_.size());
  names_.push_back(text);
  hashes_.push_back(hash);
  table_[slot] = id;
  if (names_.size() * 2 > table_.size()) grow();
  return id;
}

NameId Interner::add(std::string_view text) {
  if (text.empty()) return no_name;
  const uint32_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  return table_[slot] != 0 ? table_[slot] : insert(text, hash, slot);
}

NameId Interner::add_copy(std::string_view text) {
  if (text.empty()) return no_name;
  const uint32_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  return table_[slot] != 0 ? table_[slot] : insert(copies_.emplace_back(text), hash, slot);
}

NameId Interner::find(std::string_view text) const {
  return text.empty() ? no_name : table_[slot_of(text, hash_of(text))];
}

void Interner::grow() {
  std::vector<uint32_t> larger(table_.size() * 2);
  const std::size_t last = larger.size() - 1;
  for (NameId id = 1; id < names_.size(); ++id) {
    std::size_t slot = hashes_[id] & last;
    while (larger[slot] != 0) slot = (slot + 1) & last;
    larger[slot] = id;
  }
  table_ = std::move(larger);
}

}  // namespace heddle
