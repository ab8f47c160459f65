// The world of an API that has handles of one type, and nothing of a device's (bad_arguments.h).
#pragma once

#include <string_view>

#include "api/entry/bad_arguments.h"

namespace heddle::entry {

class HandleWorld : public World {
 public:
  // `make` gives a fresh handle, `destroy` says whether it was one.
  HandleWorld(std::string_view type, uint64_t (*make)(), bool (*destroy)(uint64_t))
      : type_(type), make_(make), destroy_(destroy) {}
  void renew() override { made_ = 0; }
  uint64_t good(std::string_view type) override {
    if (type == type_ && made_ == 0) made_ = make_();
    return type == type_ ? made_ : 0;
  }
  uint64_t freed(std::string_view) override {
    const uint64_t word = make_();
    return destroy_(word) ? word : 0;
  }
  uint64_t foreign(std::string_view) override { return make_(); }
  uint64_t memory() override { return 0; }
  uint64_t freed_memory() override { return 0; }
  uint64_t foreign_memory() override { return 0; }
  uint64_t function() override { return 0; }
  uint64_t symbol() override { return 0; }
  uint64_t callback(std::string_view) override { return 0; }

 private:
  const std::string_view type_;
  uint64_t (*const make_)();
  bool (*const destroy_)(uint64_t);
  uint64_t made_ = 0;
};

}  // namespace heddle::entry
