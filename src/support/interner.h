// Names become small numbers, so that every later table is an array. Names are views into text that outlives
// the interner, or copies that it keeps (add_copy).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

using NameId = uint32_t;
inline constexpr NameId no_name = 0;  // the empty name

class Interner {
 public:
  Interner();
  Interner(const Interner&) = delete;  // views into copies_
  Interner& operator=(const Interner&) = delete;
  NameId add(std::string_view text);         // `text` must outlive the interner
  NameId add_copy(std::string_view text);    // keeps its own copy
  NameId find(std::string_view text) const;  // no_name when absent
  std::string_view text(NameId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }  // with the empty name

 private:
  std::vector<std::string_view> names_;
  std::vector<uint32_t> table_;  // open addressing, power of two, stores ids; 0 is free
  std::vector<uint32_t> hashes_;
  std::deque<std::string> copies_;
  std::size_t slot_of(std::string_view text, uint32_t hash) const;
  NameId insert(std::string_view text, uint32_t hash, std::size_t slot);
  void grow();
};

}  // namespace heddle
