// Every implemented function of cuBLAS, cuBLASLt, cuSPARSE, cuSOLVER, cuFFT and cuRAND, called with arguments
// of all kinds: objects that live, that are none, of another kind; sizes of 0, negative, of more than 31
// bits; memory of the device, of the host, that overlaps, that is too small. Each call ends with a status of
// its library. HEDDLE_SEQUENCE_SECONDS says how long, HEDDLE_SEQUENCE_SEED where to begin,
// HEDDLE_SEQUENCE_LOG names a file that gets every call before it is made.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "functions.h"

namespace heddle::library_arguments {
namespace {

// What a function of such a name does with the host's memory is as large as its sizes say: those stay small.
bool trusts_sizes(std::string_view name) {
  constexpr std::string_view parts[] = {"Host", "Xt",       "Vector",  "Matrix",        "Grouped",
                                        "IRSX", "PlanMany", "Batched", "curandGenerate"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

using Random = std::mt19937_64;

class Arguments {
 public:
  explicit Arguments(uint64_t seed) : random_(seed) { make_memory(); }
  ~Arguments() { cudaDeviceReset(); }

  // Of `good` calls, handles are right and sizes small.
  int run(const Function& function, bool good = false, bool null_first = false) {
    const bool trusting = trusts_sizes(function.name), huge = !good && !trusting && below(12) == 0;
    const bool null_handle = null_first;  // and all else as it should be
    const bool bad_handles = !good && below(10) == 0;
    text_ = std::string(function.name) + "(";
    outputs_.clear();
    Words words{};
    std::size_t used = 0;
    for (const Parameter& parameter : function.parameters) {
      if (parameter.kind == Kind::real) continue;
      uint64_t word = 0;
      switch (parameter.kind) {
        case Kind::number: word = null_handle ? 4 : number(huge, trusting); break;
        case Kind::enumeration:
          word = null_handle ? 0 : below(30) == 0 ? 0x7fffffff : below(6) == 0 ? below(110) : below(3);
          break;
        case Kind::character: word = static_cast<unsigned char>("nNtTcClLuUrRx"[below(13)]); break;
        case Kind::text: word = address_of("text"); break;
        case Kind::object:
          word = std::exchange(null_first, false) ? 0 : object(parameter.type, bad_handles);
          break;
        case Kind::new_object: word = place(parameter.type); break;
        case Kind::memory: word = null_handle ? address_of(host_.data()) : memory(false); break;
        case Kind::pointers: word = memory(true); break;
        case Kind::real:
        case Kind::nothing: break;
      }
      if (used < most_words) words[used++] = word;
      char digits[24];
      std::snprintf(digits, sizeof digits, "%#llx ", static_cast<unsigned long long>(word));
      text_ += digits;
    }
    if (const char* const path = std::getenv("HEDDLE_SEQUENCE_LOG"); path != nullptr) {
      static std::FILE* const log = std::fopen(path, "w");
      std::fprintf(log, "%s)\n", text_.c_str());
      std::fflush(log);
    }
    // As a float it is 0.5, and as a double and a complex number it is small, too.
    const float parts[2] = {0.5F, 0.25F};
    double real = 0;
    std::memcpy(&real, parts, sizeof real);
    const int status = call(function.address, words, real, std::make_index_sequence<most_words>());
    if (status == 0) keep_outputs();
    return status;
  }
  const std::string& text() const { return text_; }
  uint64_t below(uint64_t limit) { return random_() % limit; }

  // What a kernel could not touch ends a context; what follows begins anew. True: it did.
  bool ended() {
    if (cudaDeviceSynchronize() == cudaSuccess) return false;
    cudaDeviceReset();
    objects_.clear();
    make_memory();
    return true;
  }

 private:
  static constexpr std::size_t host_bytes = 1 << 20, device_bytes = 1 << 20;

  static uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
  void make_memory() {
    device_.clear();
    host_.assign(host_bytes, std::byte{});
    for (std::size_t at = host_bytes / 2; at < host_bytes; at += 4) {
      const auto small = static_cast<int32_t>(below(4));
      std::memcpy(&host_[at], &small, sizeof small);
    }
    for (int i = 0; i < 4; ++i) {
      void* memory = nullptr;
      if (cudaMalloc(&memory, device_bytes) != cudaSuccess) continue;
      std::vector<char> content(device_bytes);
      const uint64_t first = address_of(device_.empty() ? memory : device_[0]);
      for (std::size_t at = 0; at < device_bytes; at += 8) {
        const int32_t whole[2] = {static_cast<int32_t>(below(5)), static_cast<int32_t>(below(5))};
        const float real[2] = {static_cast<float>(below(100)) / 10 - 5, static_cast<float>(below(100)) / 10};
        const uint64_t pointer = first + 64 * below(1000);
        if (i == 1) std::memcpy(&content[at], whole, 8);
        if (i == 2) std::memcpy(&content[at], real, 8);
        if (i == 3) std::memcpy(&content[at], &pointer, 8);
      }
      cudaMemcpy(memory, content.data(), device_bytes, cudaMemcpyHostToDevice);
      device_.push_back(memory);
    }
  }
  uint64_t memory(bool of_pointers) {
    if (below(16) == 0) return 0;
    // Where the host's memory is expected there must be some: no library can know where it ends.
    if (device_.empty() || below(5) < 2)
      return address_of(host_.data()) + 16 * below(1024) + (below(2) == 0 ? host_bytes / 2 : 0);
    const uint64_t first = address_of(of_pointers ? device_.back() : device_[below(device_.size())]);
    switch (below(12)) {
      case 0: return of_pointers || below(2) == 0 ? first : first + device_bytes / 2;
      case 1: return first + 4 * below(64) + 1;  // not aligned
      case 2: return first;                      // overlaps others
      default: return first + 256 * below(1024);
    }
  }
  uint64_t number(bool huge, bool trusting) {
    constexpr uint64_t bad[] = {~uint64_t{0}, ~uint64_t{1},      0x7fffffff,        0x80000000,
                                0x100000000,  uint64_t{1} << 40, uint64_t{1} << 63, ~uint64_t{0} >> 1};
    if (huge && below(3) == 0) return bad[below(std::size(bad))];
    if (!trusting && below(12) == 0) return ~uint64_t{0};
    return below(4) == 0 ? below(40) : below(6);
  }
  uint64_t object(const std::string& type, bool bad) {
    if (bad && below(2) == 0) return 0;
    // Of cuBLASLt they are structures that programs have on their stacks: what lies there is one.
    if (bad) return address_of(host_.data()) + 64 * below(100);
    const auto found = objects_.find(type);
    if (found == objects_.end() || found->second.empty()) return 0;
    return found->second[below(found->second.size())];
  }
  uint64_t place(const std::string& type) {
    auto& room = places_[outputs_.size() % places_.size()];
    room.fill(0);
    outputs_.emplace_back(type, room.data());
    return address_of(room.data());
  }
  // What a call wrote where objects are expected, later calls use.
  void keep_outputs() {
    for (const auto& [type, room] : outputs_) {
      if (room[0] == 0) continue;
      auto& known = objects_[type];
      if (known.size() < 12)
        known.push_back(room[0]);
      else
        known[below(12)] = room[0];
    }
  }

  Random random_;
  std::string text_;
  std::vector<void*> device_;
  std::vector<std::byte> host_;
  std::array<std::array<uint64_t, 64>, 8> places_{};
  std::vector<std::pair<std::string, uint64_t*>> outputs_;
  std::map<std::string, std::vector<uint64_t>> objects_;
};

// Whatever gives an object is called until it gave one, or often enough.
void make_objects(Arguments& arguments, const std::vector<Function>& all) {
  for (const Function& function : all)
    if (function.name.find("Create") != function.name.npos && !function.parameters.empty() &&
        function.parameters[0].kind == Kind::new_object)
      for (int i = 0; i < 40 && arguments.run(function, true) != 0; ++i) {
      }
  for (const Function& function : all)
    for (int i = 0; function.name == "cublasXtDeviceSelect" && i < 40 && arguments.run(function, true) != 0;
         ++i) {
    }
}

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Arguments, OfAnyKindEndWithAStatus) {
  const uint64_t most_calls = from_environment("HEDDLE_SEQUENCE_CALLS", 800);
  Arguments arguments(from_environment("HEDDLE_SEQUENCE_SEED", 1));
  const std::vector<Function> all = functions();
  ASSERT_GT(all.size(), 1500U);
  make_objects(arguments, all);
  uint64_t calls = 0, contexts = 1;
  std::map<std::string_view, bool> succeeded;
  while (calls < most_calls) {
    const Function& function = all[arguments.below(all.size())];
    // What destroys comes seldom, so that there is something to use.
    if (function.name.find("Destroy") != function.name.npos && arguments.below(16) != 0) continue;
    if (arguments.run(function) == 0) succeeded[function.name] = true;
    if (++calls % 8 == 0 && arguments.ended()) {
      make_objects(arguments, all);
      ++contexts;
    }
  }
  std::printf("%llu calls in %llu contexts, %zu of %zu functions succeeded\n",
              static_cast<unsigned long long>(calls), static_cast<unsigned long long>(contexts),
              succeeded.size(), all.size());
}

// Each library's own status for a handle that is NULL.
TEST(Arguments, ANullHandleIsNotInitialized) {
  const std::map<std::string_view, int> statuses = {{"cublasHandle_t", 1},     {"cublasXtHandle_t", 1},
                                                    {"cusparseHandle_t", 1},   {"cusolverDnHandle_t", 1},
                                                    {"cusolverSpHandle_t", 1}, {"curandGenerator_t", 101}};
  Arguments arguments(3);
  const std::vector<Function> all = functions();
  make_objects(arguments, all);
  int asked = 0;
  for (const Function& function : all) {
    if (function.parameters.empty() || function.parameters[0].kind != Kind::object) continue;
    const auto wanted = statuses.find(function.parameters[0].type);
    if (wanted == statuses.end()) continue;
    const int status = arguments.run(function, true, true);
    // cuSPARSE's functions of the handle itself say "invalid value", and destroying none is no mistake.
    // cuBLAS's version needs no handle, on an H200 either.
    if (function.name == "cusparseDestroy" || function.name == "cublasGetVersion_v2" ||
        (function.name.starts_with("cusparse") && status == 3))
      continue;
    EXPECT_EQ(status, wanted->second) << arguments.text();
    ++asked;
  }
  EXPECT_GT(asked, 1000);
}

}  // namespace
}  // namespace heddle::library_arguments
