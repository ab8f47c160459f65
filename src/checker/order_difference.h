// What it means that two runs, of a launch or of more work, left different words behind in different orders.
#pragma once

#include <cstdint>
#include <string>

#include "checker/launch_memory.h"
#include "checker/word_writers.h"

namespace heddle::checker {

class OrderDifference {
 public:
  enum class Kind : uint8_t {
    different,
    permuted,  // the same elements in another order: whoever takes the next free place
    rounding,  // floating-point numbers that agree in half of their digits
  };
  OrderDifference(const LaunchMemory& memory, const LaunchMemory::Difference& difference,
                  const WordWriters& own, const WordWriters& now);
  Kind kind() const { return kind_; }
  // The first element that differs; of numbers that are no matter of rounding, if there are any.
  uint64_t address() const { return address_; }
  uint32_t part() const { return part_; }
  const std::string& own_value() const { return own_value_; }
  const std::string& value() const { return value_; }
  const WordWriter* own_writer() const { return own_writer_; }  // nullptr: nobody wrote there
  const WordWriter* writer() const { return writer_; }

 private:
  Kind kind_ = Kind::different;
  uint64_t address_ = 0;
  uint32_t part_ = 0;
  std::string own_value_, value_;
  const WordWriter *own_writer_ = nullptr, *writer_ = nullptr;
};

}  // namespace heddle::checker
