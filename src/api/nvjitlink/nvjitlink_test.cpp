// nvJitLink as programs call it. Codes and logs are those of NVIDIA's library 13.0, which was asked with the
// same calls; where it ended the process or lost an error of the same call, what its documentation says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvJitLink.h>

#include <string>
#include <vector>

#include "fatbin/fatbin.h"

namespace heddle::nvjitlink {
namespace {

using testing::HasSubstr;

const std::string caller =
    ".version 7.0\n.target sm_80\n.address_size 64\n.extern .func helper();\n.visible .entry k() { call "
    "helper; ret; }\n";
const std::string callee =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .func helper() { ret; }\n";

class Linker {
 public:
  explicit Linker(std::vector<const char*> options = {"-arch=sm_80"}) {
    created = nvJitLinkCreate(&handle, static_cast<uint32_t>(options.size()), options.data());
  }
  ~Linker() {
    if (handle != nullptr) EXPECT_EQ(nvJitLinkDestroy(&handle), NVJITLINK_SUCCESS);
  }
  nvJitLinkResult add(const std::string& bytes, nvJitLinkInputType type = NVJITLINK_INPUT_PTX) const {
    return nvJitLinkAddData(handle, type, bytes.data(), bytes.size(), "input");
  }
  std::string errors() const {
    size_t size = 0;
    EXPECT_EQ(nvJitLinkGetErrorLogSize(handle, &size), NVJITLINK_SUCCESS);
    std::string log(size, '?');
    if (size != 0) EXPECT_EQ(nvJitLinkGetErrorLog(handle, log.data()), NVJITLINK_SUCCESS);
    return log;
  }
  std::string cubin() const {
    size_t size = 0;
    EXPECT_EQ(nvJitLinkGetLinkedCubinSize(handle, &size), NVJITLINK_SUCCESS);
    std::string bytes(size, '?');
    EXPECT_EQ(nvJitLinkGetLinkedCubin(handle, bytes.data()), NVJITLINK_SUCCESS);
    return bytes;
  }
  nvJitLinkHandle handle = nullptr;
  nvJitLinkResult created;
};

TEST(NvJitLink, LinksTextsThatNeedEachOther) {
  const Linker linker;
  ASSERT_EQ(linker.created, NVJITLINK_SUCCESS);
  size_t size = 0;
  EXPECT_EQ(nvJitLinkGetLinkedCubinSize(linker.handle, &size), NVJITLINK_ERROR_INTERNAL);
  EXPECT_EQ(linker.add(caller + '\0'), NVJITLINK_SUCCESS);
  EXPECT_EQ(linker.add(callee), NVJITLINK_SUCCESS);
  EXPECT_EQ(nvJitLinkComplete(linker.handle), NVJITLINK_SUCCESS);
  EXPECT_EQ(linker.errors(), "");
  const std::string cubin = linker.cubin();
  const auto entries = fatbin::read(std::as_bytes(std::span(cubin)));
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(*fatbin::contents((*entries)[0]), caller);
  EXPECT_EQ(*fatbin::contents((*entries)[1]), callee);
  // It is done; and what came out can be linked again.
  EXPECT_EQ(nvJitLinkComplete(linker.handle), NVJITLINK_ERROR_INTERNAL);
  EXPECT_EQ(linker.add(callee), NVJITLINK_ERROR_INTERNAL);
  for (const auto type : {NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_ANY}) {
    const Linker again;
    EXPECT_EQ(again.add(cubin, type), NVJITLINK_SUCCESS);
    EXPECT_EQ(nvJitLinkComplete(again.handle), NVJITLINK_SUCCESS) << again.errors();
  }
}

TEST(NvJitLink, SaysWhatIsMissing) {
  const Linker linker;
  EXPECT_EQ(linker.add(caller), NVJITLINK_SUCCESS);
  EXPECT_EQ(nvJitLinkComplete(linker.handle), NVJITLINK_ERROR_INTERNAL);
  EXPECT_THAT(linker.errors(), HasSubstr("'helper'"));
}

TEST(NvJitLink, SaysWhatIsWrongWithAText) {
  const Linker linker;
  EXPECT_EQ(linker.add(".version 7.0\n.target sm_80\n.entry k() { foo; ret; }\n"),
            NVJITLINK_ERROR_PTX_COMPILE);
  EXPECT_THAT(linker.errors(), HasSubstr("input:3:14: error"));
  EXPECT_THAT(linker.errors(), HasSubstr("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (input)"));
  EXPECT_EQ(nvJitLinkComplete(linker.handle), NVJITLINK_SUCCESS);
}

TEST(NvJitLink, ReadsItsOptions) {
  const auto created = [](std::vector<const char*> options) { return Linker(std::move(options)).created; };
  EXPECT_EQ(created({"-arch=sm_80", "-foo"}), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(created({"-verbose"}), NVJITLINK_ERROR_MISSING_ARCH);
  EXPECT_EQ(created({"-arch=sm_9x"}), NVJITLINK_ERROR_UNRECOGNIZED_ARCH);
  EXPECT_EQ(created({"-arch=compute_80"}), NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS);
  EXPECT_EQ(created({"-arch=sm_80", "-ptx"}), NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS);
  EXPECT_EQ(created({"-arch=sm_80", "-lto", "-ptx"}), NVJITLINK_SUCCESS);
  EXPECT_EQ(created({"-arch=sm_90a", "-O3", "-g", "-maxrregcount=32", "-ftz=true", "-lineinfo"}),
            NVJITLINK_SUCCESS);
  EXPECT_EQ(created({"-arch=sm_80", "-maxrregcount=many"}), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(created({"-arch=sm_80", nullptr}), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(nvJitLinkCreate(nullptr, 0, nullptr), NVJITLINK_ERROR_NULL_INPUT);
  const Linker wrong({"-foo"});
  EXPECT_EQ(wrong.errors(), std::string("unrecognized option: -foo\n") + '\0');
  EXPECT_EQ(wrong.add(callee), NVJITLINK_ERROR_INTERNAL);
}

TEST(NvJitLink, KnowsKindsOfInput) {
  const Linker linker;
  for (const auto type :
       {NVJITLINK_INPUT_NONE, NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_OBJECT,
        NVJITLINK_INPUT_LIBRARY, NVJITLINK_INPUT_INDEX, static_cast<nvJitLinkInputType>(99)})
    EXPECT_EQ(linker.add(callee, type), NVJITLINK_ERROR_INCORRECT_INPUT_TYPE) << type;
  EXPECT_EQ(linker.add(callee, NVJITLINK_INPUT_LTOIR), NVJITLINK_ERROR_LTO_NOT_ENABLED);
  EXPECT_EQ(linker.add(callee, NVJITLINK_INPUT_ANY), NVJITLINK_SUCCESS);
  EXPECT_EQ(linker.add("hello, this is no program"), NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  EXPECT_EQ(linker.add("hello, this is no program", NVJITLINK_INPUT_ANY), NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
  EXPECT_EQ(linker.add(""), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(linker.add("\x7f"
                       "ELF cut short",
                       NVJITLINK_INPUT_OBJECT),
            NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkAddFile(linker.handle, NVJITLINK_INPUT_PTX, "no-such-file.ptx"),
            NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkAddData(linker.handle, NVJITLINK_INPUT_PTX, nullptr, 4, "input"),
            NVJITLINK_ERROR_NULL_INPUT);
}

TEST(NvJitLink, TakesPtxForCodeOfLinkTime) {
  const Linker linker({"-arch=sm_80", "-lto"});
  EXPECT_EQ(linker.add("hello, this is no program", NVJITLINK_INPUT_LTOIR),
            NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  EXPECT_EQ(linker.add(callee, NVJITLINK_INPUT_LTOIR), NVJITLINK_SUCCESS);
  EXPECT_EQ(nvJitLinkComplete(linker.handle), NVJITLINK_SUCCESS);
}

TEST(NvJitLink, KnowsItsHandles) {
  nvJitLinkHandle none = nullptr;
  EXPECT_EQ(nvJitLinkDestroy(&none), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkDestroy(nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkComplete(nullptr), NVJITLINK_ERROR_NULL_INPUT);
  int other = 0;
  EXPECT_EQ(nvJitLinkComplete(reinterpret_cast<nvJitLinkHandle>(&other)), NVJITLINK_ERROR_INVALID_INPUT);
  unsigned int major = 0, minor = 0;
  EXPECT_EQ(nvJitLinkVersion(&major, &minor), NVJITLINK_SUCCESS);
  EXPECT_EQ(major, 12u);
}

}  // namespace
}  // namespace heddle::nvjitlink
