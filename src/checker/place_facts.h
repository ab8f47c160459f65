// What an instruction that accesses memory means to the order of threads: read off its words once, and kept
// by a number that fits into a shadow cell.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "module/image.h"
#include "observe/observer.h"

namespace heddle::checker {

using PlaceId = uint32_t;  // counts the places of the process from 1; 0: none

struct PlaceFacts {
  const module::Image* image = nullptr;
  observe::Place place;
  // Strong accesses order themselves among one another (PTX ISA 8.4: relaxed, acquire, release, volatile,
  // atomic operations), for threads in their scope.
  bool strong = false;
  bool atomic = false;  // reads and writes in one
  bool is_volatile = false;
  bool acquires = false, releases = false;
  bool asynchronous = false;  // its writes are there when they were waited for
  bool bulk = false;          // an mbarrier says so, which is told of the copying thread before
  bool ends_copies = false;   // cp.async.mbarrier.arrive: the thread's copies are done when it counts
  // A loop tests what it reads until another thread writes: a flag or a lock.
  bool polls = false;
  bool compares = false;  // compare and swap
  // An atomic operation whose result nobody reads: its thread cannot know whose write it came after.
  bool unread = false;
  observe::FenceScope scope = observe::FenceScope::system;
};

// All places that were met. A reference stays right as long as the image lives, which the table sees to.
class Places {
 public:
  static constexpr PlaceId most = (1U << 22) - 1;
  // The number of an image: its places are asked for by it. Keeps the image.
  uint32_t image_number(const std::shared_ptr<const module::Image>& image);
  // Not thread safe: under the detector's lock.
  PlaceId id(uint32_t image_number, observe::Place place) {
    auto& function = images_[image_number].functions[place.function];
    if (function.empty()) function.resize(images_[image_number].image->functions[place.function].code.size());
    PlaceId& known = function[place.instruction];
    return known != 0 ? known : add(image_number, place, known);
  }
  const PlaceFacts& operator[](PlaceId id) const { return facts_[id]; }

 private:
  struct Known {
    std::shared_ptr<const module::Image> image;
    std::vector<std::vector<PlaceId>> functions;  // by instruction
  };
  PlaceId add(uint32_t image_number, observe::Place place, PlaceId& known);
  std::vector<Known> images_;
  std::map<const module::Image*, uint32_t> numbers_;
  std::vector<PlaceFacts> facts_{PlaceFacts{}};
};

PlaceFacts facts_of(const module::Image& image, observe::Place place);

}  // namespace heddle::checker
