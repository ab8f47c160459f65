// The kernels of the instruction sweep, their operands, and what a real device answered (tests/hw/h200/sweep,
// made by tests/hw/sweep.py), for any executor. The kernels are generated from spec/isa; one that was added
// after the recording has no answers yet and is counted as such.
#pragma once

#include <zstd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../support/guest.h"
#include "arch/device.h"
#include "exec/launch.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::sweep {

inline constexpr uint64_t threads = 1024;
inline constexpr std::size_t most_values = 32;  // operands or results of a thread
inline constexpr std::size_t shown_kernels = 40;

// ---- the operands: tests/hw/sweep.py says the same in Python
// ----------------------------------------------------------
inline constexpr uint64_t integers[] = {0,
                                        1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        7,
                                        8,
                                        15,
                                        16,
                                        23,
                                        24,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        100,
                                        127,
                                        128,
                                        255,
                                        256,
                                        32767,
                                        32768,
                                        65535,
                                        65536,
                                        0x7FFFFF,
                                        0x800000,
                                        0x7FFFFFFF,
                                        0x80000000,
                                        0xFFFFFFFF,
                                        0x55555555,
                                        0xAAAAAAAA,
                                        0x12345678,
                                        0xFEDCBA9876543210,
                                        0x7FFFFFFFFFFFFFFF,
                                        0x8000000000000000,
                                        ~0ull,
                                        ~0ull - 1,
                                        ~0ull - 2,
                                        ~0ull - 7,
                                        ~0ull - 127,
                                        ~0ull - 128,
                                        ~0ull - 32767,
                                        ~0ull - 32768,
                                        0xFFFFFFFF80000000,
                                        0xFFFFFFFF7FFFFFFF,
                                        0x0123456789ABCDEF};
inline constexpr uint64_t f32[] = {
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000, 0xBFC00000,
    0x40200000, 0xC0200000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FFFFFFF, 0x7F800001,
    0xFFC12345, 0xFF812345, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000,
    0x00800001, 0x00FFFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001, 0x3F7FFFFF, 0x4AFFFFFF, 0x4B000001,
    0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x5EFFFFFF, 0x5F000000,
    0xDF000000, 0x5F7FFFFF, 0x5F800000, 0x437F0000, 0x437F8000, 0x43000000, 0xC3000000, 0xC3008000,
    0x477FE000, 0x477FEFFF, 0x477FF000, 0x477FFF00, 0x47800000, 0xC7000000, 0x33000000, 0x33000001,
    0x32FFFFFF, 0x387FC000, 0x38800000, 0x3727C5AC, 0x40490FDB, 0x42F6E979, 0x0DA24260, 0x71D2A1B3};
inline constexpr uint64_t f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000,
    0xBFE0000000000000, 0x3FF8000000000000, 0x4004000000000000, 0xC004000000000000, 0x7FF0000000000000,
    0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FF0000000000001,
    0xFFF8123456789ABC, 0xFFF0123456789ABC, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF,
    0x0010000000000000, 0x0010000000000001, 0x001FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF,
    0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000,
    0xC1E0000000200000, 0x41EFFFFFFFE00000, 0x41F0000000000000, 0x43DFFFFFFFFFFFFF, 0x43E0000000000000,
    0xC3E0000000000000, 0x43EFFFFFFFFFFFFF, 0x43F0000000000000, 0x4330000000000001, 0x432FFFFFFFFFFFFF,
    0x47EFFFFFE0000000, 0x47EFFFFFEFFFFFFF, 0x47EFFFFFF0000000, 0x3810000000000000, 0x380FFFFFC0000000,
    0x36A0000000000000, 0x3690000000000000, 0x3690000000000001, 0x40EFFC0000000000, 0x40EFFE0000000000,
    0x3E60000000000000, 0x400921FB54442D18, 0x3FF8000010000000, 0x3FF0000010000000};
inline constexpr uint64_t f16[] = {0x0000, 0x8000, 0x3C00, 0xBC00, 0x3800, 0xB800, 0x3E00, 0xBE00, 0x4100,
                                   0xC100, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7FFF, 0x7C01, 0xFD23, 0x0001,
                                   0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x0401, 0x7BFF, 0xFBFF, 0x3C01,
                                   0x3BFF, 0x6400, 0x67FF, 0x5BF8, 0x5C00, 0x7800, 0x4248, 0x2E66, 0x1400};
inline constexpr uint64_t bf16[] = {0x0000, 0x8000, 0x3F80, 0xBF80, 0x3F00, 0xBF00, 0x3FC0, 0xBFC0, 0x4020,
                                    0xC020, 0x7F80, 0xFF80, 0x7FC0, 0xFFC0, 0x7FFF, 0x7F81, 0xFFA3, 0x0001,
                                    0x8001, 0x007F, 0x807F, 0x0080, 0x8080, 0x0081, 0x7F7F, 0xFF7F, 0x3F81,
                                    0x3F7F, 0x4300, 0x437F, 0x4F00, 0x4049, 0x3DCD, 0x2000};

inline uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

template <std::size_t n>
uint64_t of_float(const uint64_t (&edges)[n], int bits, int exponent_bits, uint64_t a, uint64_t b) {
  if ((a & 3) != 0) return edges[(a >> 8) % n];
  const int mantissa_bits = bits - 1 - exponent_bits;
  const int64_t bias = (int64_t{1} << (exponent_bits - 1)) - 1;
  const int64_t exponent = std::clamp<int64_t>(bias + static_cast<int64_t>(a >> 40 & 31) - 16, 0,
                                               (int64_t{1} << exponent_bits) - 1);
  return (b >> 63) << (bits - 1) | static_cast<uint64_t>(exponent) << mantissa_bits |
         (b & ((uint64_t{1} << mantissa_bits) - 1));
}

struct Tile {  // of a matrix operand: small numbers of a format, so that sums are exact in any order
  int width;
  uint64_t choices[8];
};
inline const std::map<std::string, Tile>& tiles() {
  static const std::map<std::string, Tile> table = {
      {"f16", {16, {0x0000, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4200, 0xC200, 0x3800}}},
      {"bf16", {16, {0x0000, 0x3F80, 0xBF80, 0x4000, 0xC000, 0x4040, 0xC040, 0x3F00}}},
      {"tf32",
       {32,
        {0x00000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000, 0x3F000000}}},
      {"f32",
       {32,
        {0x00000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000, 0x3F000000}}},
      {"f64",
       {64,
        {0, 0x3FFull << 52, 0xBFFull << 52, 0x400ull << 52, 0xC00ull << 52, 0x4008ull << 48, 0xC008ull << 48,
         0x3FEull << 52}}},
      {"e4m3", {8, {0x00, 0x38, 0xB8, 0x40, 0xC0, 0x44, 0xC4, 0x30}}},
      {"e5m2", {8, {0x00, 0x3C, 0xBC, 0x40, 0xC0, 0x42, 0xC2, 0x38}}},
      {"two_of_four", {4, {0x4, 0x8, 0xC, 0x9, 0xD, 0xE, 0x4, 0xE}}},
      {"one_of_two", {4, {0x4, 0xE, 0x4, 0xE, 0xE, 0x4, 0xE, 0x4}}},
  };
  return table;
}

inline uint64_t of_tile(const std::string& kind, uint64_t bits) {
  const auto found = tiles().find(kind);
  if (found == tiles().end()) return bits;
  uint64_t out = 0;
  for (int i = 0; i < std::min(64 / found->second.width, 16); ++i)
    out |= found->second.choices[bits >> 3 * i & 7] << found->second.width * i;
  return out;
}

inline uint64_t operand(const std::string& type, uint64_t thread, uint64_t source) {
  const std::string kind = type.substr(0, type.find('.'));  // without a selector: s32.b2
  const uint64_t a = mix(thread << 8 | source), b = mix(a);
  if (kind.starts_with("tile_")) return of_tile(kind.substr(5), b);
  if (kind == "pred") return a >> 20 & 1;
  if (kind == "f32" || kind == "tf32") return of_float(f32, 32, 8, a, b);
  if (kind == "f64") return of_float(f64, 64, 11, a, b);
  if (kind == "f16") return of_float(f16, 16, 5, a, b);
  if (kind == "bf16") return of_float(bf16, 16, 8, a, b);
  if (kind == "f16x2" || kind == "bf16x2") {
    const std::string half = kind.substr(0, kind.size() - 2);
    return operand(half, thread, source) | operand(half, thread, source + 8) << 16;
  }
  if ((a & 3) != 0) return integers[(a >> 8) % std::size(integers)];
  return b >> (a >> 40 & 63);
}

// ---- what was recorded
// ----------------------------------------------------------------------------------------------------
inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

struct Kernel {  // mnemonic | result types | source types, with immediates as #value
  std::string key;
  std::vector<std::string> results, sources;
};

inline Kernel kernel_of(const std::string& key) {
  const std::size_t first = key.find('|'), second = key.find('|', first + 1);
  Kernel kernel{key, words_of(key.substr(first + 1, second - first - 1)), words_of(key.substr(second + 1))};
  std::erase_if(kernel.sources, [](const std::string& s) { return s[0] == '#'; });
  return kernel;
}

// Answers by key: threads x results values.
inline std::map<std::string, std::vector<uint64_t>> read_answers(const std::string& folder) {
  const std::string packed = read_file(folder + "/answers.zst");
  std::vector<uint64_t> all(ZSTD_getFrameContentSize(packed.data(), packed.size()) / 8);
  const std::size_t got = ZSTD_decompress(all.data(), all.size() * 8, packed.data(), packed.size());
  std::map<std::string, std::vector<uint64_t>> answers;
  if (ZSTD_isError(got) != 0) return answers;
  std::istringstream keys(read_file(folder + "/kernels.txt"));
  std::size_t at = 0;
  for (std::string key; std::getline(keys, key);) {
    const std::size_t count = threads * kernel_of(key).results.size();
    if (at + count > all.size()) break;
    answers[key].assign(all.begin() + static_cast<std::ptrdiff_t>(at),
                        all.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  }
  return answers;
}

// ---- running
// -----------------------------------------------------------------------------------------------------------------
inline std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

// ---- the sweep
// ---------------------------------------------------------------------------------------------------------------
class Sweep {
 public:
  Sweep() : arena_(threads * 8 * 3 * most_values) {
    Diagnostics diagnostics;
    auto source = std::make_shared<const SourceText>("sweep.ptx", read_file(generated_ + "/sweep.ptx"));
    const ptx::Module syntax = ptx::read(source, diagnostics);
    if (diagnostics.has_errors()) {
      problem_ = diagnostics.render(*source).substr(0, 4000);
      return;
    }
    const ptx::Module* modules[] = {&syntax};
    auto linked = module::link(modules);
    if (!linked.ok()) {
      problem_ = linked.error().messages.front();
      return;
    }
    loaded_.image = std::move(linked).value();
    loaded_.symbol_address.resize(loaded_.image->symbols.size());
    loaded_.symbol_handle.resize(loaded_.image->symbols.size());
    const auto device = arch::find_device("h200");
    if (!device.ok()) {
      problem_ = device.error().message;
      return;
    }
    device_ = *device;
    answers_ = read_answers(HEDDLE_SOURCE_DIR "/tests/hw/h200/sweep");
    std::istringstream index(read_file(generated_ + "/index.txt"));
    for (std::string line; std::getline(index, line);) {
      const std::size_t bar = line.find(" | ");
      kernels_.emplace_back(line.substr(0, bar), kernel_of(line.substr(bar + 3)));
    }
  }

  const std::string& problem() const { return problem_; }  // empty: it can be run
  const std::vector<std::pair<std::string, Kernel>>& kernels() const { return kernels_; }
  const std::vector<uint64_t>* answers(const Kernel& kernel) const {
    const auto found = answers_.find(kernel.key);
    return found == answers_.end() ? nullptr : &found->second;
  }

  // Writes the operands of threads [first, first + threads); those from 0 on are what the device was given.
  void fill(const Kernel& kernel, uint64_t first = 0) {
    first_ = first;
    for (std::size_t i = 0; i < kernel.sources.size(); ++i) {
      for (uint64_t t = 0; t < threads; ++t)
        arena_.data()[i * threads + t] = operand(kernel.sources[i], first + t, i);
    }
  }
  // The results of all threads, into `results`; or the fault.
  std::string run(exec::Executor& executor, const std::string& name, const Kernel& kernel,
                  std::vector<uint64_t>& results) {
    uint64_t* out = arena_.data() + most_values * threads;
    const std::size_t count = kernel.results.size() * threads;
    std::fill_n(out, count, 0);
    const uint64_t params[2] = {reinterpret_cast<uintptr_t>(arena_.data()), reinterpret_cast<uintptr_t>(out)};
    exec::Launch launch;
    launch.module = &loaded_;
    launch.function = loaded_.image->function_index(name);
    launch.shape.grid = {threads / 128};
    launch.shape.block = {128};
    launch.params = std::as_bytes(std::span(params));
    launch.device = device_;
    launch.memory = &arena_.guest();
    launch.services = &services_;
    const auto outcome = executor.run(launch);
    results.assign(out, out + count);
    return outcome.ok() ? std::string() : outcome.error().message();
  }
  // Where results differ from what they should be, in words; empty: nowhere.
  std::string difference(const Kernel& kernel, const std::vector<uint64_t>& results,
                         const std::vector<uint64_t>& expected) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (results[i] == expected[i]) continue;
      const uint64_t thread = first_ + i / kernel.results.size();
      std::string text = "result " + std::to_string(i % kernel.results.size()) + " is " + hex(results[i]) +
                         ", not " + hex(expected[i]) + ", for";
      for (std::size_t s = 0; s < kernel.sources.size(); ++s)
        text += " " + hex(operand(kernel.sources[s], thread, s));
      return text;
    }
    return {};
  }

 private:
  const std::string generated_ = HEDDLE_GENERATED_DIR "/sweep";
  std::string problem_;
  exec::LoadedModule loaded_;
  const arch::Device* device_ = nullptr;
  std::map<std::string, std::vector<uint64_t>> answers_;
  std::vector<std::pair<std::string, Kernel>> kernels_;
  NoServices services_;
  Arena arena_;
  uint64_t first_ = 0;
};

}  // namespace heddle::sweep
