// NVTX's C++ types tell what they were made of, in every standard that they are for.
// RUN: %nvcc -std=c++11 -Xcompiler -Wall,-Werror %s -o %t && %t | FileCheck %s
// RUN: %nvcc -std=c++20 -Xcompiler -Wall,-Werror %s -o %t && %t | FileCheck %s
#include <nvtx3/nvtx3.hpp>
#ifndef NVTX3_CPP_DEFINITIONS_V1_0
#error "libraries that ask would not use it"
#endif

#include <cstdio>
#include <type_traits>
#include <utility>

struct Library {
  static constexpr char const* name = "library";
};
struct Loading {
  static constexpr char const* name = "loading";
  static constexpr uint32_t id = 7;
};
struct Greeting {
  static constexpr char const* message = "hello";
};

static_assert(!std::is_copy_constructible<nvtx3::scoped_range>::value, "");
static_assert(!std::is_move_constructible<nvtx3::scoped_range_in<Library>>::value, "");
static_assert(std::is_move_constructible<nvtx3::unique_range>::value, "");
static_assert(!std::is_constructible<nvtx3::message, std::string&&>::value, "its text would be gone");
static_assert(nvtx3::color(nvtx3::rgb(1, 2, 3)).get_value() == 0xFF010203, "");

int traced(bool on) {
  NVTX3_FUNC_RANGE();
  nvtx3::unique_range outer("outer");
  nvtx3::unique_range moved(std::move(outer));
  {
    NVTX3_FUNC_RANGE_IF(on);
  }
  {
    NVTX3_FUNC_RANGE_IF_IN(Library, on);
  }
  return 1;
}
int traced_in() {
  NVTX3_FUNC_RANGE_IN(Library);
  return 2;
}

int main() {
  using namespace nvtx3;
  const std::string text = "text";
  const registered_string_in<Library>& registered = registered_string_in<Library>::get<Greeting>();
  const event_attributes all(message("first"), rgb(9, 8, 7), color(5), payload(int32_t{-3}), message("second"),
                             named_category_in<Library>::get<Loading>());
  // CHECK: first 4278781959 1 -3 5 7 3 1
  std::printf("%s %u %d %d %d %u %u %d\n", all.get()->message.ascii, all.get()->color, all.get()->colorType,
              all.get()->payload.iValue, all.get()->payloadType, all.get()->category, all.get()->version,
              all.get()->size == sizeof(nvtxEventAttributes_t));
  mark("mark", category(2));
  mark_in<Library>(text, payload(2.5));
  const range_handle open = start_range_in<Library>(registered, argb(1, 2, 3, 4));
  end_range_in<Library>(open);
  end_range(start_range(event_attributes(text)));
  scoped_range_in<Library> range(registered, color(3), payload(uint64_t{1}));
  std::printf("%d\n", traced(true) + traced_in());  // CHECK: 3
  return open != range_handle(open.get_value());
}
