// For tests: every function of an API with one bad argument at a time, the others being good as far as their
// types tell.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/entry/calls.h"

namespace heddle::entry {

// What good arguments there are, and objects that were. A test makes one for every function.
class World {
 public:
  virtual ~World() = default;
  virtual void renew() = 0;  // forgets what a function may have changed
  // 0: the API has none to give.
  virtual uint64_t good(std::string_view type) = 0;     // an object of the first device
  virtual uint64_t freed(std::string_view type) = 0;    // one that is gone
  virtual uint64_t foreign(std::string_view type) = 0;  // one of another device or context
  virtual uint64_t memory() = 0;                        // of the device
  virtual uint64_t freed_memory() = 0;
  virtual uint64_t foreign_memory() = 0;
  virtual uint64_t function() = 0;
  virtual uint64_t symbol() = 0;
  virtual uint64_t callback(std::string_view type) = 0;
};

enum class Bad : uint8_t { nothing, null, never, freed, foreign, other_kind, huge, half, negative, beyond };

inline const char* name(Bad bad) {
  constexpr const char* names[] = {
      "good",          "NULL",     "never a handle",   "freed",    "of another device",
      "of other kind", "SIZE_MAX", "half of SIZE_MAX", "negative", "beyond the last"};
  return names[static_cast<std::size_t>(bad)];
}

class OneBad : public Arguments {
 public:
  static constexpr uint64_t not_a_handle = 0x123456780;
  OneBad(World& world, const Parameter* victim, Bad bad) : world_(world), victim_(victim), bad_(bad) {
    // The last is NULL, where whoever is told of too many stops.
    for (std::size_t i = 0; i + 1 < pointers_.size(); ++i) pointers_[i] = sink_.data();
  }

  static bool is_size(const Parameter& parameter) {
    if (parameter.kind != Kind::number || std::string_view(parameter.type) == "int") return false;
    const std::string_view name = parameter.name;
    for (const std::string_view word : {"size", "Size", "count", "Count", "bytes", "Bytes", "width", "Width",
                                        "height", "Height", "pitch", "Pitch", "depth", "Depth", "N"})
      if (name.find(word) != std::string_view::npos) return true;
    return false;
  }
  static bool is_device(const Parameter& parameter) {
    const std::string_view name = parameter.name, type = parameter.type;
    return parameter.kind == Kind::number && (type == "int" || type == "CUdevice") &&
           (name == "device" || name == "dev" || name == "ordinal" || name.ends_with("Device"));
  }

 private:
  uint64_t word(const Parameter& parameter) override {
    return &parameter == victim_ ? bad_word(parameter) : good_word(parameter);
  }
  void fill(const Parameter& parameter, void* value) override {
    std::memset(value, &parameter == victim_ && bad_ != Bad::nothing ? 0xff : 0, parameter.bytes);
  }

  uint64_t good_word(const Parameter& parameter) {
    switch (parameter.kind) {
      case Kind::number: return is_size(parameter) ? 1 : 0;
      case Kind::enumeration:
        return std::string_view(parameter.type) == "cudaMemcpyKind" ? 4 : 0;  // cudaMemcpyDefault
      case Kind::handle: return world_.good(parameter.type);
      case Kind::memory: return world_.memory();
      case Kind::function: return world_.function();
      case Kind::symbol: return world_.symbol();
      case Kind::text: return reinterpret_cast<uint64_t>("text");
      case Kind::callback: return world_.callback(parameter.type);
      case Kind::in:
        if (std::string_view(parameter.type) == "void" || std::string_view(parameter.type) == "char")
          return reinterpret_cast<uint64_t>(pointers_.data());
        [[fallthrough]];
      default: return reinterpret_cast<uint64_t>(sink_.data());
    }
  }
  uint64_t bad_word(const Parameter& parameter) {
    switch (bad_) {
      case Bad::nothing: return good_word(parameter);
      case Bad::null: return 0;
      case Bad::never: return not_a_handle;
      case Bad::freed:
        return parameter.kind == Kind::memory ? world_.freed_memory() : world_.freed(parameter.type);
      case Bad::foreign:
        return parameter.kind == Kind::memory ? world_.foreign_memory() : world_.foreign(parameter.type);
      case Bad::other_kind:
        return world_.good(std::string_view(parameter.type).find("vent") != std::string_view::npos
                               ? stream_type()
                               : event_type());
      case Bad::huge: return ~uint64_t{0};
      case Bad::half: return uint64_t{1} << (std::string_view(parameter.type) == "unsigned int" ? 31 : 63);
      case Bad::negative: return static_cast<uint64_t>(int64_t{-1});
      case Bad::beyond: return 0x7fffffff;
    }
    return 0;
  }
  // The two kinds that both APIs have.
  std::string_view stream_type() { return world_.good("CUstream") != 0 ? "CUstream" : "cudaStream_t"; }
  std::string_view event_type() { return world_.good("CUevent") != 0 ? "CUevent" : "cudaEvent_t"; }

  World& world_;
  const Parameter* victim_;
  Bad bad_;
  alignas(64) std::array<char, 65536> sink_{};
  std::array<void*, 65> pointers_{};
};

// What may be wrong with a parameter.
inline std::vector<Bad> bad_values(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::handle: return {Bad::null, Bad::never, Bad::freed, Bad::foreign, Bad::other_kind};
    case Kind::memory: return {Bad::null, Bad::freed, Bad::foreign};
    case Kind::function:
    case Kind::symbol: return {Bad::null, Bad::never};
    case Kind::number:
      if (OneBad::is_device(parameter)) return {Bad::negative, Bad::beyond};
      if (OneBad::is_size(parameter)) return {Bad::huge, Bad::half};
      return {Bad::negative, Bad::beyond};
    case Kind::enumeration: return {Bad::negative, Bad::beyond};
    case Kind::value: return {Bad::beyond};
    default: return {Bad::null};
  }
}

// A size that arrays of the caller's go by: no API can know how long they are.
inline bool trusts_sizes(const Call& call) {
  return std::any_of(call.parameters.begin(), call.parameters.end(), [](const Parameter& parameter) {
    return parameter.kind == Kind::in || parameter.kind == Kind::text ||
           (parameter.kind == Kind::out && std::string_view(parameter.type) == "char");
  });
}

// The one code for what is bad: of the place itself ("function: parameter"), else of the parameter's type,
// else of its kind.
struct Documented {
  int null = 1, handle = 1, device = 0, size = 1, enumeration = 1;
  std::map<std::string_view, int> types;
  std::map<std::string, int, std::less<>> places;
  std::vector<int> never_returned;  // a bug of ours, whatever was asked
};

// "function: parameter" of what is allowed although it looks bad, with the reason.
using Allowed = std::map<std::string, const char*, std::less<>>;

inline std::optional<int> expected_code(const std::string& place, const Parameter& parameter, Bad bad,
                                        const Documented& documented, std::set<std::string>& used) {
  if (bad == Bad::null) return parameter.required ? std::optional(documented.null) : std::nullopt;
  const bool handle = parameter.kind == Kind::handle, enumeration = parameter.kind == Kind::enumeration;
  const bool device = OneBad::is_device(parameter), size = OneBad::is_size(parameter);
  // The rest is not told: it must be survived.
  if ((handle && bad == Bad::foreign) || !(handle || enumeration || device || size)) return std::nullopt;
  for (const std::string& own : {place + " is " + name(bad), place})
    if (const auto found = documented.places.find(own); found != documented.places.end()) {
      used.insert(own);
      return found->second;
    }
  if (handle || enumeration)
    if (const auto type = documented.types.find(parameter.type); type != documented.types.end())
      return type->second;
  return handle        ? documented.handle
         : enumeration ? documented.enumeration
         : device      ? documented.device
                       : documented.size;
}

inline bool contains(const std::vector<int>& codes, int code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

inline void expect_refusals(std::span<const Call> calls, const Documented& documented, const Allowed& allowed,
                            World& world) {
  // Some write a file by the name that they are given.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(::testing::TempDir());
  std::size_t used = 0;
  std::set<std::string> used_places;
  for (const Call& call : calls) {
    for (const Parameter& parameter : call.parameters) {
      const std::string place = std::string(call.name) + ": " + parameter.name;
      const bool is_allowed = allowed.find(place) != allowed.end();
      used += is_allowed;
      for (const Bad bad : bad_values(parameter)) {
        if (OneBad::is_size(parameter) && trusts_sizes(call)) continue;
        if (bad == Bad::freed && parameter.kind == Kind::handle && world.freed(parameter.type) == 0) continue;
        OneBad arguments(world, &parameter, bad);
        SCOPED_TRACE(place + " is " + name(bad));
        const int code = call.run(arguments, call.parameters);
        EXPECT_FALSE(contains(documented.never_returned, code)) << "returned " << code;
        const std::optional<int> expected = expected_code(place, parameter, bad, documented, used_places);
        if (expected && !is_allowed) EXPECT_EQ(code, *expected);
        world.renew();
      }
    }
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(used, allowed.size()) << "an exception is for a parameter that is not there";
  EXPECT_EQ(used_places.size(), documented.places.size()) << "a code is for a parameter that is not there";
}

}  // namespace heddle::entry
