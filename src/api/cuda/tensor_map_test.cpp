// Which arguments cuTensorMapEncodeTiled takes, against what NVIDIA's driver answered for an H200
// (tests/hw/h200/tensor/encode.cases).
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::cu {
namespace {

struct Case {
  std::map<std::string, std::string> values;
  int64_t number(const std::string& key) const { return std::strtoll(values.at(key).c_str(), nullptr, 10); }
  template <class T>
  std::vector<T> list(const std::string& key) const {
    std::vector<T> all;
    std::istringstream in(values.at(key));
    for (std::string one; std::getline(in, one, ',');)
      all.push_back(static_cast<T>(std::strtoll(one.c_str(), nullptr, 10)));
    all.resize(8);
    return all;
  }
  // What only later devices have.
  bool later() const {
    return (number("kind") >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B &&
            number("kind") <= CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B) ||
           (number("swizzle") >= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B &&
            number("swizzle") <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  std::ifstream lines(HEDDLE_SOURCE_DIR "/tests/hw/h200/tensor/encode.cases");
  for (std::string line; std::getline(lines, line);) {
    Case one;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ';');)
      one.values[part.substr(0, part.find('='))] = part.substr(part.find('=') + 1);
    all.push_back(std::move(one));
  }
  return all;
}

CUresult encode(const Case& c, CUtensorMap* map) {
  const auto dims = c.list<cuuint64_t>("dims"), strides = c.list<cuuint64_t>("strides");
  const auto box = c.list<cuuint32_t>("box"), step = c.list<cuuint32_t>("step");
  const std::string null = c.values.contains("null") ? c.values.at("null") : "";
  const auto pick = [&](const char* name, const auto& list) { return null == name ? nullptr : list.data(); };
  const uint64_t address = 0x7000'0000'0000 + static_cast<uint64_t>(c.number("address"));
  return ::cuTensorMapEncodeTiled(
      null == "map" ? nullptr : map, static_cast<CUtensorMapDataType>(c.number("kind")),
      static_cast<cuuint32_t>(c.number("rank")), reinterpret_cast<void*>(address), pick("dims", dims),
      pick("strides", strides), pick("box", box), pick("step", step),
      static_cast<CUtensorMapInterleave>(c.number("interleave")),
      static_cast<CUtensorMapSwizzle>(c.number("swizzle")),
      static_cast<CUtensorMapL2promotion>(c.number("promo")),
      static_cast<CUtensorMapFloatOOBfill>(c.number("fill")));
}

TEST(TensorMap, ArgumentsAreTakenAsNvidiasDriverTakesThem) {
  ASSERT_EQ(::cuInit(0), CUDA_SUCCESS);
  int compared = 0;
  for (const Case& c : cases()) {
    if (c.later() || c.list<uint32_t>("box")[2] >= 255)
      continue;  // a tile of that size: the limit is not known
    CUtensorMap map;
    std::string text;
    for (const auto& [key, value] : c.values) text += key + "=" + value + " ";
    EXPECT_EQ(encode(c, &map), c.number("answer")) << text;
    ++compared;
  }
  EXPECT_GT(compared, 400);
}

TEST(TensorMap, AnAddressIsReplaced) {
  ASSERT_EQ(::cuInit(0), CUDA_SUCCESS);
  const Case first = cases().front();
  CUtensorMap map, other;
  ASSERT_EQ(encode(first, &map), CUDA_SUCCESS);
  Case moved = first;
  moved.values["address"] = "4096";
  ASSERT_EQ(encode(moved, &other), CUDA_SUCCESS);
  EXPECT_EQ(::cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(0x7000'0000'0000 + 8)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(::cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(0x7000'0000'0000 + 4096)),
            CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&map, &other, sizeof map), 0);
}

}  // namespace
}  // namespace heddle::cu
