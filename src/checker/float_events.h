// What happened to exceptional numbers at one instruction, added up from what executors tell
// (observe/values.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checker/rows/rows.h"
#include "exec/number_lanes.h"
#include "module/image.h"
#include "observe/carried.h"

namespace heddle::checker {

// What an exceptional number is when it comes to be. Bits of Settings::float_kinds by their numbers.
enum class Birth : uint8_t { nan, infinity, division, subnormal, cancellation };
inline constexpr std::size_t births = 5;
constexpr unsigned bit(Birth birth) { return 1U << static_cast<unsigned>(birth); }

// What becomes of NaNs and infinities that were there before.
enum class Fate : uint8_t {
  carried,    // the result is one, too
  lost,       // the result is an ordinary number
  compared,   // it decides something
  tested,     // it is asked whether it is a NaN, or infinite
  converted,  // it is made an integer, or a number of few bits
  stored,
};
inline constexpr std::size_t fates = 6;

struct FirstBirth {
  uint64_t launch = ~uint64_t{0}, block = 0;  // by number: grids of the process, blocks of the grid
  uint32_t thread = 0;
  std::array<uint32_t, 3> block_index{};
  std::string text;  // "div.rn.f32 of 1 and 0"
  bool before(uint64_t l, uint64_t b, uint32_t t) const {
    return launch != l ? launch < l : block != b ? block < b : thread <= t;
  }
};

struct FloatEvents {
  std::array<uint64_t, births> born{};
  std::array<FirstBirth, births> first;
  // By whether it is a NaN (0) or infinite (1).
  std::array<std::array<uint64_t, 2>, fates> fate{};
  uint64_t nan_of_infinity = 0;  // of the NaNs that were born, those with an infinite source
  isa::Type type{};              // of its result, or of what it takes

  void add(const FloatEvents& other);
  uint64_t count(Fate f, bool infinite) const { return fate[static_cast<std::size_t>(f)][infinite ? 1 : 0]; }
};

// Counts for one launch, or for one of its threads.
class FloatCounter {
 public:
  // kinds: bits of births that are wanted.
  FloatCounter(const module::Image& image, std::array<uint32_t, 3> grid, uint64_t launch, unsigned kinds)
      : image_(image),
        numbers_(image),
        grid_(grid),
        launch_(launch),
        kinds_(kinds),
        places_(image.functions.size()) {}
  void value(const observe::Value& value);
  void carried(observe::Place place, const observe::Carried& carried);
  // By place.
  template <class F>
  void each(F&& f) const {
    for (uint32_t function = 0; function < places_.size(); ++function)
      for (uint32_t i = 0; i < places_[function].size(); ++i)
        if (const auto& one = places_[function][i]; one != nullptr)
          f(observe::Place{function, i}, one->events);
  }

 private:
  struct OfPlace {
    std::span<const exec::Number> numbers;
    exec::NumberUse use;
    bool flushes = false;     // .ftz
    Fate end = Fate::stored;  // of its sources, where it gives no number
    const exec::Number* addend = nullptr;
    FloatEvents events;
  };
  struct At {  // one event
    OfPlace& place;
    const observe::Value& value;
    const uint64_t* row(const exec::Number& number) const {
      return value.bits + (&number - place.numbers.data()) * observe::warp_lanes;
    }
  };
  OfPlace& of(observe::Place place);
  void compute(const At& at);
  void end(const At& at);
  exec::NumberLanes lanes(const At& at, const exec::Number& number, unsigned element) const;
  // Where no lane has an ordinary number, so many are looked at as explain the result.
  exec::NumberLanes sources(const At& at, unsigned element, unsigned elements, bool divisor,
                            const exec::NumberLanes& result) const;
  void born(const At& at, Birth birth, observe::Mask lanes, unsigned element);
  std::string operation_text(const At& at, unsigned lane, unsigned element) const;

  const module::Image& image_;
  exec::ToldNumbers numbers_;
  const std::array<uint32_t, 3> grid_;
  const uint64_t launch_;
  const unsigned kinds_;
  const rows::Level& rows_ = rows::of_host();
  // By function and instruction: a program that computes with NaNs comes here with each of them.
  std::vector<std::vector<std::unique_ptr<OfPlace>>> places_;
};

}  // namespace heddle::checker
