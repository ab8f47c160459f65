// The libraries' functions by their records, called by what an x86-64's calling convention says: words in
// order, floating point numbers apart from them. Headers and templates for two thousand functions would take
// minutes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define HEDDLE_CALL(name, parameters) extern "C" uint64_t name();
#include "libs/cublas/calls.gen.h"
#include "libs/cublaslt/calls.gen.h"
#include "libs/cufft/calls.gen.h"
#include "libs/curand/calls.gen.h"
#include "libs/cusolver/calls.gen.h"
#include "libs/cusparse/calls.gen.h"
#undef HEDDLE_CALL

namespace heddle::library_arguments {

struct Record {
  const char* name;
  uint64_t (*address)();
  const char* parameters;
};
#define HEDDLE_CALL(name, parameters) {#name, &name, parameters},
constexpr Record records[] = {
#include "libs/cublas/calls.gen.h"
#include "libs/cublaslt/calls.gen.h"
#include "libs/cufft/calls.gen.h"
#include "libs/curand/calls.gen.h"
#include "libs/cusolver/calls.gen.h"
#include "libs/cusparse/calls.gen.h"
};
#undef HEDDLE_CALL

enum class Kind { number, enumeration, character, real, object, new_object, text, nothing, memory, pointers };
struct Parameter {
  Kind kind;
  std::string type;  // without const and *
  std::string name;
  bool pointer_array = false;
};
struct Function {
  std::string_view name;
  uint64_t (*address)();
  std::vector<Parameter> parameters;
  bool double_complex = false;
};

inline bool is_handle(std::string_view type) {
  constexpr std::string_view ends[] = {"Handle_t",    "Info_t",      "Infos_t",  "Params_t",
                                       "Descr_t",     "Desc_t",      "Layout_t", "Preference_t",
                                       "generator_t", "Generator_t", "Plan_t"};
  if (type == "cufftHandle") return false;  // a number
  return std::ranges::any_of(ends, [&](std::string_view end) { return type.ends_with(end); });
}
inline Parameter parameter_of(std::string text) {
  const bool array = text.find("[]") != text.npos;
  if (array) text.erase(text.find("[]"));
  const std::size_t end = text.find_last_of(" *") + 1;
  const std::string name = text.substr(end);
  text.erase(end);
  std::erase(text, ' ');
  for (std::size_t at; (at = text.find("const")) != text.npos;) text.erase(at, 5);
  const auto stars = std::ranges::count(text, '*');
  std::string bare = text;
  std::erase(bare, '*');
  const auto of = [&](Kind kind) { return Parameter{kind, bare, name, array && stars > 0}; };
  if (array) return of(Kind::memory);
  if (bare == "FILE" || (bare == "cudaStream_t" && stars == 0) || bare.find("allback") != bare.npos)
    return of(Kind::nothing);
  if (bare == "char" && stars == 1) return of(Kind::text);
  // This one is a structure, and handed over by its address.
  if (bare == "cudaLibXtDesc") return of(stars == 1 ? Kind::object : Kind::new_object);
  if (is_handle(bare)) return of(stars == 0 ? Kind::object : Kind::new_object);
  if (stars > 1) return of(Kind::pointers);
  if (stars == 1) return of(Kind::memory);
  if (bare == "char") return of(Kind::character);
  if (bare == "float" || bare == "double" || bare == "cuComplex" || bare == "cuDoubleComplex")
    return of(Kind::real);
  constexpr std::string_view numbers[] = {"int",         "size_t",   "int64_t",          "int32_t",
                                          "uint64_t",    "uint32_t", "unsigned",         "unsignedint",
                                          "longlongint", "longlong", "unsignedlonglong", "cusolver_int_t",
                                          "cufftHandle", "uint8_t",  "unsignedchar"};
  if (std::ranges::find(numbers, bare) != std::end(numbers)) return of(Kind::number);
  return of(Kind::enumeration);
}

// These take code of the host, or a file, or free the memory that later calls are given.
inline bool left_out(std::string_view name) {
  constexpr std::string_view parts[] = {"XtSetCpuRoutine", "Logger", "Xerbla", "cublasFree"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != name.npos; });
}
inline std::vector<Function> functions() {
  std::vector<Function> all;
  for (const Record& record : records) {
    if (left_out(record.name)) continue;
    Function function{record.name, record.address, {}};
    std::string text;
    for (const char* at = record.parameters;; ++at)
      if (*at != ';' && *at != '\0') {
        text += *at;
      } else {
        if (!text.empty()) function.parameters.push_back(parameter_of(std::exchange(text, {})));
        if (*at == '\0') break;
      }
    all.push_back(std::move(function));
  }
  return all;
}

inline constexpr std::size_t most_words = 32;
using Words = std::array<uint64_t, most_words>;
template <std::size_t... i>
int call(uint64_t (*address)(), const Words& w, double real, std::index_sequence<i...>) {
  using Any = uint64_t (*)(decltype(static_cast<void>(i), uint64_t{})..., double, double, double, double,
                           double, double, double, double);
  return static_cast<int>(reinterpret_cast<Any>(reinterpret_cast<void*>(address))(
      w[i]..., real, real, real, real, real, real, real, real));
}

}  // namespace heddle::library_arguments
