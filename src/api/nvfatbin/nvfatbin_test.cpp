// nvFatbin as programs call it. Codes, texts and the bits of flags are those of NVIDIA's library 13.5, which
// was asked with the same calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvFatbin.h>

#include <string>
#include <vector>

#include "fatbin/fatbin.h"

namespace heddle::nvfatbin {
namespace {

const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

class Maker {
 public:
  explicit Maker(std::vector<const char*> options = {}) {
    created = nvFatbinCreate(&handle, options.data(), options.size());
  }
  ~Maker() {
    if (handle != nullptr) EXPECT_EQ(nvFatbinDestroy(&handle), NVFATBIN_SUCCESS);
  }
  nvFatbinResult add(const std::string& text, const char* arch, const char* name = "a",
                     const char* options = nullptr) const {
    return nvFatbinAddPTX(handle, text.data(), text.size(), arch, name, options);
  }
  nvFatbinResult add_cubin(const std::string& bytes, const char* arch) const {
    return nvFatbinAddCubin(handle, bytes.data(), bytes.size(), arch, "a");
  }
  std::string bytes() const {
    size_t size = 0;
    EXPECT_EQ(nvFatbinSize(handle, &size), NVFATBIN_SUCCESS);
    std::string all(size, '?');
    EXPECT_EQ(nvFatbinGet(handle, all.data()), NVFATBIN_SUCCESS);
    return all;
  }
  nvFatbinHandle handle = nullptr;
  nvFatbinResult created;
};

std::vector<fatbin::Entry> entries_of(const std::string& bytes) {
  auto read = fatbin::read(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(read);
  return read ? *read : std::vector<fatbin::Entry>{};
}

TEST(NvFatbin, MakesWhatOthersRead) {
  const Maker maker;
  ASSERT_EQ(maker.created, NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.bytes().size(), 16u);  // a fat binary of nothing
  EXPECT_EQ(maker.add(ptx + '\0', "80", "first", "-O3 --maxrregcount=32"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add(ptx, "90a", nullptr), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add(ptx, "100f"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add(ptx, ""), NVFATBIN_SUCCESS);
  const std::string bytes = maker.bytes();
  const auto entries = entries_of(bytes);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].arch, (fatbin::Arch{80, fatbin::Arch::Reach::portable}));
  EXPECT_EQ(entries[0].version_major, 8);
  EXPECT_EQ(entries[0].version_minor, 0);
  EXPECT_EQ(entries[0].source_name, "first");
  EXPECT_EQ(entries[0].options, "-O3 --maxrregcount=32");
  EXPECT_EQ(entries[0].compression, fatbin::Compression::zstd);
  EXPECT_TRUE(entries[0].wide);
  EXPECT_EQ(fatbin::contents(entries[0]).value(), ptx);
  EXPECT_EQ(entries[1].arch, (fatbin::Arch{90, fatbin::Arch::Reach::exact}));
  EXPECT_EQ(entries[1].source_name, "");
  EXPECT_EQ(entries[2].arch, (fatbin::Arch{100, fatbin::Arch::Reach::family}));
  EXPECT_EQ(entries[3].arch.number, 0u);
  // It may go on after it was asked for.
  EXPECT_EQ(maker.add(ptx, "75"), NVFATBIN_SUCCESS);
  EXPECT_EQ(entries_of(maker.bytes()).size(), 5u);
}

TEST(NvFatbin, TakesOptions) {
  for (const char* option :
       {"-64", "-32", "-cuda", "-opencl", "-c", "-g", "-host=linux", "-host=windows", "-host=mac",
        "-compress=true", "-compress=false", "-compress-all", "-compress-mode=size", "-compress-mode=speed",
        "-compress-mode=balance", "-compress-mode=none", "-compress-mode=default"})
    EXPECT_EQ(Maker({option}).created, NVFATBIN_SUCCESS) << option;
  for (const char* option : {"-host=x", "-compress=abc", "-compress-mode=q", "--64", "64", "-bogus", ""}) {
    const Maker maker({option});
    EXPECT_EQ(maker.created, NVFATBIN_ERROR_UNRECOGNIZED_OPTION) << option;
    EXPECT_NE(maker.handle, nullptr);
  }
  EXPECT_EQ(Maker({"-64", "-cuda", "-x"}).created, NVFATBIN_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(Maker({"-compress", "true"}).created, NVFATBIN_ERROR_UNRECOGNIZED_OPTION);
  const auto flags = [](const char* option) {
    const Maker maker({option});
    EXPECT_EQ(maker.add(ptx, "80"), NVFATBIN_SUCCESS);
    const std::string bytes = maker.bytes();
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[16 + 40])) |
           static_cast<unsigned>(static_cast<unsigned char>(bytes[16 + 41])) << 8;
  };
  EXPECT_EQ(flags("-64"), 0x8011u);
  EXPECT_EQ(flags("-g"), 0x8013u);
  EXPECT_EQ(flags("-32"), 0x8010u);
  EXPECT_EQ(flags("-host=windows"), 0x8041u);
  EXPECT_EQ(flags("-compress=false"), 0x0011u);
  EXPECT_EQ(flags("-compress-mode=none"), 0x0011u);
  EXPECT_EQ(flags("-compress-mode=speed"), 0x2011u);
  EXPECT_EQ(flags("-compress-mode=size"), 0x8011u);
}

TEST(NvFatbin, RefusesPtxThatIsNone) {
  const Maker maker;
  for (const char* arch : {"sm_80", "compute_80", "abc", "80x", "8 0"})
    EXPECT_EQ(maker.add(ptx, arch), NVFATBIN_ERROR_INVALID_ARCH) << arch;
  EXPECT_EQ(maker.add(ptx, nullptr), NVFATBIN_ERROR_NULL_POINTER);
  EXPECT_EQ(maker.add("", "80"), NVFATBIN_ERROR_EMPTY_INPUT);
  EXPECT_EQ(maker.add("hello", "80"), NVFATBIN_ERROR_MISSING_PTX_VERSION);
  EXPECT_EQ(maker.add(".target sm_80\n.address_size 64\n", "80"), NVFATBIN_ERROR_MISSING_PTX_VERSION);
  EXPECT_EQ(maker.add(".version", "80"), NVFATBIN_ERROR_MISSING_PTX_VERSION);
  EXPECT_EQ(maker.add(".version x", "80"), NVFATBIN_ERROR_MISSING_PTX_VERSION);
  EXPECT_EQ(nvFatbinAddPTX(maker.handle, nullptr, 5, "80", "a", nullptr), NVFATBIN_ERROR_NULL_POINTER);
  EXPECT_EQ(maker.bytes().size(), 16u);  // nothing of it is there
  // The text is not read beyond its version, and an architecture that nobody has is one.
  EXPECT_EQ(maker.add(".version 8.0\n", "80"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add(ptx, "75"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add(ptx, "999"), NVFATBIN_SUCCESS);
}

TEST(NvFatbin, TakesCubins) {
  fatbin::NewEntry entry;
  entry.arch.number = 80;
  entry.content = ptx;
  entry.options = "-maxrregcount 20";
  const fatbin::NewEntry list[] = {entry};
  const std::string ours = fatbin::write(list).value();  // as our ptxas makes it
  const Maker maker;
  EXPECT_EQ(maker.add_cubin(ours, "80"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add_cubin(ours, "75"), NVFATBIN_ERROR_ELF_ARCH_MISMATCH);
  EXPECT_EQ(maker.add_cubin(ours, "sm_80"), NVFATBIN_ERROR_INVALID_ARCH);
  EXPECT_EQ(maker.add_cubin(ptx, "80"), NVFATBIN_ERROR_ELF_SIZE_MISMATCH);
  EXPECT_EQ(maker.add_cubin("", "80"), NVFATBIN_ERROR_EMPTY_INPUT);
  EXPECT_EQ(maker.add_cubin(ours.substr(0, 30), "80"), NVFATBIN_ERROR_INTERNAL);
  // Machine code says for which devices it is: in its flags' first byte, or since version 8 in the second.
  std::string code =
      "\x7f"
      "ELF\x02\x01\x01\x33\x07";
  code.resize(64);
  code[48] = 75;
  EXPECT_EQ(maker.add_cubin(code, "75"), NVFATBIN_SUCCESS);
  EXPECT_EQ(maker.add_cubin(code, "80"), NVFATBIN_ERROR_ELF_ARCH_MISMATCH);
  code[8] = 8;
  code[48] = 4;
  code[49] = 80;
  EXPECT_EQ(maker.add_cubin(code, "80"), NVFATBIN_SUCCESS);
  const std::string bytes = maker.bytes();
  const auto entries = entries_of(bytes);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].kind, fatbin::Kind::ptx);
  EXPECT_EQ(entries[0].options, "-maxrregcount 20");
  EXPECT_EQ(entries[2].kind, fatbin::Kind::elf);
  EXPECT_EQ(fatbin::contents(entries[2]).value(), code);
}

TEST(NvFatbin, KeepsLinkTimeCodeAndKnowsNoOther) {
  const Maker maker;
  const auto lto = [&](const std::string& bytes) {
    return nvFatbinAddLTOIR(maker.handle, bytes.data(), bytes.size(), "80", "a", nullptr);
  };
  EXPECT_EQ(lto(ptx), NVFATBIN_ERROR_INTERNAL);
  EXPECT_EQ(lto("\xed\x43\x4e\x7f and so on"), NVFATBIN_SUCCESS);
  EXPECT_EQ(entries_of(maker.bytes())[0].kind, fatbin::Kind::lto);
  EXPECT_EQ(nvFatbinAddIndex(maker.handle, "index", 5, "a"), NVFATBIN_ERROR_INVALID_INDEX);
  EXPECT_EQ(nvFatbinAddTileIR(maker.handle, "tile", 4, "a", nullptr), NVFATBIN_ERROR_INTERNAL);
  EXPECT_EQ(nvFatbinAddReloc(maker.handle, ptx.data(), ptx.size()), NVFATBIN_ERROR_INTERNAL);
  EXPECT_EQ(nvFatbinAddReloc(maker.handle, nullptr, 0), NVFATBIN_ERROR_NULL_POINTER);
}

TEST(NvFatbin, NamesItsErrors) {
  EXPECT_EQ(nvFatbinGetErrorString(NVFATBIN_SUCCESS), nullptr);
  EXPECT_STREQ(nvFatbinGetErrorString(NVFATBIN_ERROR_EMPTY_INPUT), "empty input");
  EXPECT_STREQ(nvFatbinGetErrorString(NVFATBIN_ERROR_INTERNAL_PTX_OPTION),
               "used ptx options include internal options");
  EXPECT_STREQ(nvFatbinGetErrorString(static_cast<nvFatbinResult>(18)), "unknown error");
  EXPECT_STREQ(nvFatbinGetErrorString(static_cast<nvFatbinResult>(-1)), "unknown error");
}

TEST(NvFatbin, RefusesWhatIsNoHandle) {
  size_t size = 0;
  EXPECT_EQ(nvFatbinSize(nullptr, &size), NVFATBIN_ERROR_NULL_POINTER);
  EXPECT_EQ(nvFatbinDestroy(nullptr), NVFATBIN_ERROR_NULL_POINTER);
  nvFatbinHandle handle = nullptr;
  EXPECT_EQ(nvFatbinDestroy(&handle), NVFATBIN_ERROR_NULL_POINTER);
  EXPECT_EQ(nvFatbinCreate(&handle, nullptr, 2), NVFATBIN_ERROR_NULL_POINTER);
  EXPECT_EQ(nvFatbinCreate(nullptr, nullptr, 0), NVFATBIN_ERROR_NULL_POINTER);
}

}  // namespace
}  // namespace heddle::nvfatbin
