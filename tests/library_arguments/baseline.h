// A good call of any function, of which one argument at a time is made bad: the calls that an H200 was asked
// with (tests/hw/h200/answers/library_arguments.txt). Sizes are 4, vectors have no gaps, what is an index
// says a diagonal, numbers are those of an identity; pointers are to page-locked memory, which host and
// device see.
#pragma once

#include <cuda_runtime_api.h>

#include <cctype>
#include <map>

#include "functions.h"

namespace heddle::library_arguments {

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
template <class... Parts>
bool has_any(std::string_view text, Parts... parts) {
  return (has(text, parts) || ...);
}
template <class... Names>
bool is_any(std::string_view text, Names... names) {
  return ((text == names) || ...);
}

inline uint64_t size_of(std::string_view name) {
  if (name.starts_with("inc") || is_any(name, "nrhs", "kl", "ku", "il", "rank", "group_count", "group_size",
                                        "istride", "ostride", "niters", "p", "sizeOfMask"))
    return 1;
  if (is_any(name, "lwork", "Lwork")) return 16384;
  if (has_any(name, "ytes", "SizeIn") || name == "dataSize") return 65536;
  if (is_any(name, "batchSize", "batchCount", "batch") || has_any(name, "lockDim", "lockSize")) return 2;
  if (has(name, "tride") || is_any(name, "idist", "odist")) return 16;
  if (is_any(name, "algo", "reorder", "econ", "level", "enable_boost", "offset", "seed", "mask", "k1"))
    return 0;
  if (name == "direction") return ~uint64_t{0};  // of an FFT: forward
  return 4;
}

inline Kind kind_of(const Parameter& parameter) {
  if (parameter.pointer_array) return Kind::pointers;
  const bool info = parameter.kind == Kind::enumeration && parameter.type.ends_with("InfoHost_t");
  return info ? Kind::object : parameter.kind;
}

// The enumerators that are right where 0 is not.
inline uint64_t enumerator_of(std::string_view type, std::string_view function) {
  if (type == "cudaDataType" && has(function, "cufft")) return 4;  // CUDA_C_32F
  constexpr std::pair<std::string_view, uint64_t> known[] = {{"cublasComputeType_t", 68},
                                                             {"cublasGemmAlgo_t", ~uint64_t{0}},
                                                             {"cusparseIndexType_t", 2},
                                                             {"cusparseOrder_t", 1},
                                                             {"cusolverEigType_t", 1},
                                                             {"cusolverEigRange_t", 1001},
                                                             {"cufftType", 0x29},
                                                             {"curandRngType_t", 100},
                                                             {"curandOrdering_t", 100},
                                                             {"curandDirectionVectorSet_t", 101},
                                                             {"cusolverPrecType_t", 1303},
                                                             {"cusolverIRSRefinement_t", 1101},
                                                             {"cublasLtMatrixLayoutAttribute_t", 1},
                                                             {"cublasLtMatmulDescAttributes_t", 1}};
  for (const auto& [name, value] : known)
    if (name == type) return value;
  return 0;
}

// Elements 0, 5, 10 and 15 of `step` numbers each: an identity of 4 x 4.
template <class Number>
void identity(char* block, int step) {
  auto* const numbers = reinterpret_cast<Number*>(block);
  for (int i = 0; i < 16; i += 5) numbers[i * step] = 1;
}

// The objects and how they are made; what has no arguments of its own is made of its type's name.
struct Maker {
  std::string_view type, function;
  std::initializer_list<uint64_t> arguments;
};

// "good", "m=-1", "A=null", "n=nothing" (0, and all pointers are NULL) ...
struct Case {
  std::string parameter, value;
};

class Baseline {
 public:
  explicit Baseline(const std::vector<Function>& all) {
    for (const Function& one : all) addresses_[std::string(one.name)] = one.address;
    make_memory();
  }
  ~Baseline() { cudaDeviceReset(); }
  Baseline(const Baseline&) = delete;

  int run(const Function& function, const Case& bad);
  // After a fault nothing of the context is left.
  void begin_anew() {
    cudaDeviceReset();
    objects_.clear();
    make_memory();
  }

 private:
  static constexpr std::size_t block_bytes = 1 << 17, blocks = 36;
  static uint64_t word(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

  void make_memory() {
    for (char*& block : blocks_) cudaMallocHost(reinterpret_cast<void**>(&block), block_bytes);
    cudaMallocHost(reinterpret_cast<void**>(&target_), block_bytes);
    cudaMallocHost(reinterpret_cast<void**>(&matrix_), block_bytes);
  }
  int call_named(const std::string& name, std::initializer_list<uint64_t> words) const {
    Words all{};
    std::ranges::copy(words, all.begin());
    const auto found = addresses_.find(name);
    return found == addresses_.end() ? -1
                                     : call(found->second, all, 0, std::make_index_sequence<most_words>());
  }
  void fill(char* block, const Parameter& parameter) const;
  uint64_t object(const std::string& type, std::string_view function);
  uint64_t plan(std::string_view function);
  uint64_t good_number(const Parameter& parameter, std::string_view function);

  std::map<std::string, uint64_t (*)()> addresses_;
  std::map<std::string, uint64_t> objects_;
  std::array<char*, blocks> blocks_{};
  char* target_ = nullptr;
  char* matrix_ = nullptr;
};

inline void Baseline::fill(char* block, const Parameter& parameter) const {
  const std::string& name = parameter.name;
  const std::string& type = parameter.type;
  std::memset(block, 0, name == "workspace" || has(name, "uffer") ? 64 : 8192);
  auto* const whole = reinterpret_cast<int32_t*>(block);
  auto* const wide = reinterpret_cast<int64_t*>(block);
  if (kind_of(parameter) == Kind::pointers) {
    for (int i = 0; i < 64; ++i) reinterpret_cast<char**>(block)[i] = target_ + 1024 * (i % 16);
  } else if (is_any(type, "int", "cusolver_int_t")) {
    if (has(name, "Ptr") && has_any(name, "Row", "Col"))
      for (int i = 0; i < 64; ++i) whole[i] = std::min(i, 4);
    else if (has(name, "Ind") || is_any(name, "p", "P", "Q", "q") || has_any(name, "_P", "_Q"))
      for (int i = 0; i < 4; ++i) whole[i] = i;
    else if (has(name, "_array") || name == "n")
      std::fill_n(whole, 8, 4);
    else if (has_any(name, "ipiv", "Ipiv"))
      for (int i = 0; i < 4; ++i) whole[i] = i + 1;
    if (has(name, "trans")) std::memset(block, 0, 64);
    if (name == "group_size") whole[0] = 1;
  } else if (is_any(type, "int64_t", "longlongint")) {
    for (int i = 0; i < 8; ++i)
      wide[i] = has(name, "ipiv")                    ? i + 1
                : has(name, "_array") || name == "n" ? 4
                : name == "group_size"               ? 1
                                                     : 0;
  } else if (type == "double") {
    identity<double>(block, 1);
  } else if (type == "cuComplex") {
    identity<float>(block, 2);
  } else if (type == "cuDoubleComplex") {
    identity<double>(block, 2);
  } else if (is_any(type, "float", "void")) {
    identity<float>(block, 1);
  }
}

inline uint64_t Baseline::object(const std::string& type, std::string_view function) {
  const auto known = objects_.find(type);
  if (known != objects_.end()) return known->second;
  // A sparse identity for those that have one inside.
  auto* const offsets = reinterpret_cast<int32_t*>(matrix_);
  auto* const places = reinterpret_cast<int32_t*>(matrix_ + 256);
  auto* const values = reinterpret_cast<float*>(matrix_ + 512);
  for (int i = 0; i < 64; ++i) {
    offsets[i] = std::min(i, 4);
    values[i] = i % 5 == 0 || i < 4 ? 1.0F : 0.0F;
  }
  for (int i = 0; i < 4; ++i) places[i] = i;
  const uint64_t at = word(places), of = word(values);
  const Maker makers[] = {
      {"cublasHandle_t", "cublasCreate_v2", {}},
      {"cublasLtHandle_t", "cublasLtCreate", {}},
      {"cusparseHandle_t", "cusparseCreate", {}},
      {"cusolverDnHandle_t", "cusolverDnCreate", {}},
      {"cusolverSpHandle_t", "cusolverSpCreate", {}},
      {"cusolverRfHandle_t", "cusolverRfCreate", {}},
      {"curandGenerator_t", "curandCreateGenerator", {100}},
      {"cublasLtMatrixLayout_t", "cublasLtMatrixLayoutCreate", {0, 4, 4, 4}},
      {"cublasLtMatmulDesc_t", "cublasLtMatmulDescCreate", {68, 0}},
      {"cublasLtMatrixTransformDesc_t", "cublasLtMatrixTransformDescCreate", {0}},
      {"cublasLtMatmulPreference_t", "cublasLtMatmulPreferenceCreate", {}},
      {"cublasLtEmulationDesc_t", "cublasLtEmulationDescCreate", {}},
      {"cusparseMatDescr_t", "cusparseCreateMatDescr", {}},
      {"cusparseSpMatDescr_t", "cusparseCreateCsr", {4, 4, 4, word(offsets), at, of, 2, 2, 0, 0}},
      {"cusparseDnMatDescr_t", "cusparseCreateDnMat", {4, 4, 4, of, 0, 1}},
      {"cusparseDnVecDescr_t", "cusparseCreateDnVec", {4, of, 0}},
      {"cusparseSpVecDescr_t", "cusparseCreateSpVec", {4, 4, at, of, 2, 0, 0}},
      {"cusparseSpGEMMDescr_t", "cusparseSpGEMM_createDescr", {}},
      {"cusparseSpSVDescr_t", "cusparseSpSV_createDescr", {}},
      {"cusparseSpSMDescr_t", "cusparseSpSM_createDescr", {}},
      {"syevjInfo_t", "cusolverDnCreateSyevjInfo", {}},
      {"gesvdjInfo_t", "cusolverDnCreateGesvdjInfo", {}},
      {"cusolverDnParams_t", "cusolverDnCreateParams", {}},
      {"cusolverDnIRSParams_t", "cusolverDnIRSParamsCreate", {}},
      {"cusolverDnIRSInfos_t", "cusolverDnIRSInfosCreate", {}}};
  std::string plain = type;
  if (const std::size_t constant = plain.find("Const"); constant != plain.npos) plain.erase(constant, 5);
  std::array<uint64_t, 64> made{};
  const auto found = std::ranges::find(makers, plain, &Maker::type);
  if (found != std::end(makers)) {
    Words words{word(made.data())};
    std::ranges::copy(found->arguments, words.begin() + 1);
    call(addresses_.at(std::string(found->function)), words, 0, std::make_index_sequence<most_words>());
  } else {
    std::string name = type.substr(0, type.size() - 2);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    const std::string solver = "cusolverSpCreate" + name;
    const bool solves = has(function, "cusolver") && addresses_.contains(solver);
    call_named(solves ? solver : "cusparseCreate" + name, {word(made.data())});
  }
  return objects_[type] = made[0];
}

inline uint64_t Baseline::plan(std::string_view function) {
  if (const auto known = objects_.find("plan"); known != objects_.end()) return known->second;
  int32_t made = 0;
  if (has_any(function, "MakePlan", "GetSize", "XtSet", "Destroy"))
    call_named("cufftCreate", {word(&made)});
  else
    call_named("cufftPlan1d", {word(&made), 16,
                               has(function, "R2C")   ? uint64_t{0x2a}
                               : has(function, "C2R") ? uint64_t{0x2c}
                               : has(function, "Z2Z") ? uint64_t{0x69}
                               : has(function, "D2Z") ? uint64_t{0x6a}
                               : has(function, "Z2D") ? uint64_t{0x6c}
                                                      : uint64_t{0x29},
                               1});
  return objects_["plan"] = static_cast<uint64_t>(made);
}

inline int Baseline::run(const Function& function, const Case& bad) {
  // What may change an object, or end it, gets new ones.
  if (has_any(function.name, "Set", "reate", "Init", "cufft", "curand", "estroy", "SpGEMM", "cusolverSp",
              "cusolverRf"))
    objects_.clear();
  std::memset(target_, 0, 16384);
  for (int i = 0; i < 16; ++i) identity<float>(target_ + 1024 * i, 1);
  Words words{};
  std::size_t used = 0;
  for (std::size_t i = 0; i < function.parameters.size() && used < most_words; ++i) {
    const Parameter& parameter = function.parameters[i];
    const bool is_bad = parameter.name == bad.parameter;
    uint64_t value = 0;
    switch (kind_of(parameter)) {
      case Kind::real: continue;
      case Kind::nothing: break;
      case Kind::number:
        if (is_bad)
          value = bad.value == "-1" ? ~uint64_t{0} : bad.value == "3" ? 3 : bad.value == "777" ? 777 : 0;
        else
          value = parameter.type == "cufftHandle" ? plan(function.name) : size_of(parameter.name);
        break;
      case Kind::enumeration: value = is_bad ? 7777 : enumerator_of(parameter.type, function.name); break;
      case Kind::character:
        value = static_cast<unsigned char>(is_bad                     ? 'x'
                                           : parameter.name == "uplo" ? 'U'
                                           : parameter.name == "side" ? 'L'
                                                                      : 'N');
        break;
      case Kind::object: value = is_bad ? 0 : object(parameter.type, function.name); break;
      case Kind::text: value = is_bad ? 0 : word("text"); break;
      case Kind::new_object:
      case Kind::memory:
      case Kind::pointers:
        fill(blocks_[i], parameter);
        value = is_bad || bad.value == "nothing" ? 0 : word(blocks_[i]);
        break;
    }
    words[used++] = value;
  }
  const float parts[2] = {0.5F, 0.25F};
  double real = 0;
  std::memcpy(&real, parts, sizeof real);
  return call(function.address, words, real, std::make_index_sequence<most_words>());
}

}  // namespace heddle::library_arguments
