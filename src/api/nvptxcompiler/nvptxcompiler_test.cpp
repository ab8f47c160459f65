// NVIDIA's compiler of PTX as programs call it. Codes are those of its library 13.5, which was asked with the
// same calls. Logs are those of our ptxas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvPTXCompiler.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fatbin/fatbin.h"

namespace heddle::nvptxcompiler {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& body, const std::string& version = "8.0") {
  return ".version " + version + "\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n" +
         ".reg .b64 %rd<2>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n" + body +
         "\nret;\n}\n";
}
const std::string good = text_of("st.global.u32 [%rd1], %r1;");

class Compiler {
 public:
  explicit Compiler(const std::string& text, std::size_t size = 0) {
    created = nvPTXCompilerCreate(&handle, size != 0 ? size : text.size(), text.c_str());
  }
  ~Compiler() {
    if (handle != nullptr) EXPECT_EQ(nvPTXCompilerDestroy(&handle), NVPTXCOMPILE_SUCCESS);
    EXPECT_EQ(handle, nullptr);
  }
  nvPTXCompileResult compile(std::vector<const char*> options) const {
    return nvPTXCompilerCompile(handle, static_cast<int>(options.size()), options.data());
  }
  std::string errors() const { return log(nvPTXCompilerGetErrorLogSize, nvPTXCompilerGetErrorLog); }
  std::string info() const { return log(nvPTXCompilerGetInfoLogSize, nvPTXCompilerGetInfoLog); }
  nvPTXCompileResult size(size_t& bytes) const { return nvPTXCompilerGetCompiledProgramSize(handle, &bytes); }
  nvPTXCompilerHandle handle = nullptr;
  nvPTXCompileResult created;

 private:
  template <class Size, class Log>
  std::string log(Size* size_of, Log* read) const {
    size_t bytes = 77;
    EXPECT_EQ(size_of(handle, &bytes), NVPTXCOMPILE_SUCCESS);
    std::string all(bytes, '?');
    EXPECT_EQ(read(handle, all.data()), NVPTXCOMPILE_SUCCESS);
    if (bytes != 0) EXPECT_EQ(all.back(), '\0');  // counted
    return all.substr(0, bytes == 0 ? 0 : bytes - 1);
  }
};

TEST(PtxCompiler, CompilesWhatLoadersTake) {
  const Compiler compiler(good);
  ASSERT_EQ(compiler.created, NVPTXCOMPILE_SUCCESS);
  size_t bytes = 77;
  EXPECT_EQ(compiler.size(bytes), NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
  EXPECT_EQ(compiler.errors(), "");
  EXPECT_EQ(compiler.compile({"--gpu-name=sm_80"}), NVPTXCOMPILE_SUCCESS);
  ASSERT_EQ(compiler.size(bytes), NVPTXCOMPILE_SUCCESS);
  std::string program(bytes, '?');
  EXPECT_EQ(nvPTXCompilerGetCompiledProgram(compiler.handle, program.data()), NVPTXCOMPILE_SUCCESS);
  const auto entries = fatbin::read(std::as_bytes(std::span(program)));
  ASSERT_TRUE(entries);
  EXPECT_EQ(fatbin::contents((*entries)[0]).value(), good);
  EXPECT_EQ(compiler.errors() + compiler.info(), "");
  EXPECT_EQ(compiler.compile({"-arch", "sm_90"}), NVPTXCOMPILE_SUCCESS);  // two words, and once more
  const Compiler with_zero(good, good.size() + 1);
  EXPECT_EQ(with_zero.compile({"-arch=sm_80"}), NVPTXCOMPILE_SUCCESS);
}

TEST(PtxCompiler, TellsWhatKernelsNeed) {
  const Compiler compiler(good);
  EXPECT_EQ(compiler.compile({"-arch=sm_80", "-v", "-O3"}), NVPTXCOMPILE_SUCCESS);
  EXPECT_THAT(compiler.info(), HasSubstr("ptxas info    : 0 bytes gmem\n"
                                         "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                                         "ptxas info    : Function properties for k\n"));
  EXPECT_THAT(compiler.info(), HasSubstr(" registers, used 0 barriers, 360 bytes cmem[0]"));
  EXPECT_EQ(compiler.errors(), "");
}

TEST(PtxCompiler, TellsWhatIsWrong) {
  const Compiler bad(text_of("st.global.u32 [%rd9], %r1;"));
  EXPECT_EQ(bad.compile({"-arch=sm_80"}), NVPTXCOMPILE_ERROR_COMPILATION_FAILURE);
  EXPECT_THAT(bad.errors(), HasSubstr("application ptx input:8:15: error: '%rd9' is not declared"));
  EXPECT_THAT(bad.errors(), HasSubstr("ptxas fatal   : Ptx assembly aborted due to errors\n"));
  EXPECT_EQ(bad.info(), "");
  size_t bytes = 77;
  EXPECT_EQ(bad.size(bytes), NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
  EXPECT_EQ(bytes, 77u);

  const Compiler newer(text_of("", "99.0"));
  EXPECT_EQ(newer.compile({"-arch=sm_80"}), NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_THAT(newer.errors(), HasSubstr("application ptx input:1:10: error: PTX version 99.0 is not known"));

  const Compiler cut(good, 20);
  EXPECT_EQ(cut.compile({"-arch=sm_80"}), NVPTXCOMPILE_ERROR_COMPILATION_FAILURE);
}

TEST(PtxCompiler, ReadsItsOptions) {
  const Compiler compiler(good);
  const auto refused = [&](std::vector<const char*> options) {
    EXPECT_EQ(compiler.compile(std::move(options)), NVPTXCOMPILE_ERROR_COMPILATION_FAILURE);
    return compiler.errors();
  };
  EXPECT_EQ(refused({"-arch=sm_999"}),
            "ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'\n");
  EXPECT_THAT(refused({"-arch=sm_80", "--bogus"}), HasSubstr("ptxas fatal   : Unknown option '"));
  EXPECT_THAT(refused({"-arch sm_80"}), HasSubstr("ptxas fatal   : Unknown option '"));
  EXPECT_EQ(refused({"-arch=sm_80", "--maxrregcount=abc"}),
            "ptxas fatal   : Invalid value 'abc' for option 'maxrregcount'\n");
  EXPECT_EQ(refused({"-arch=sm_80", "--entry=nope"}), "ptxas fatal   : Unknown function nope\n");
  // Without an architecture the oldest is meant.
  EXPECT_THAT(refused({}), HasSubstr("SM version specified by .target is higher than default SM version"));
  EXPECT_NE(refused({"-arch=sm_80", "--help"}), "");
  EXPECT_NE(refused({"-arch=sm_80", "file.ptx"}), "");
  EXPECT_EQ(compiler.compile({"-arch=sm_80", "--entry=k"}), NVPTXCOMPILE_SUCCESS);
  EXPECT_EQ(
      compiler.compile({"-arch=sm_80", "--compile-only", "-lineinfo", "--fmad=false", "--warn-on-spills"}),
      NVPTXCOMPILE_SUCCESS);
  size_t bytes = 0;
  EXPECT_EQ(compiler.compile({"-arch=compute_80"}), NVPTXCOMPILE_PARSE_ONLY_SUCCESS);
  EXPECT_EQ(compiler.size(bytes), NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
  EXPECT_EQ(nvPTXCompilerCompile(compiler.handle, 1, nullptr), NVPTXCOMPILE_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvPTXCompilerCompile(compiler.handle, -1, nullptr), NVPTXCOMPILE_ERROR_INVALID_INPUT);
}

TEST(PtxCompiler, ListsWhatItTakes) {
  int count = 0;
  ASSERT_EQ(nvPTXCompilerGetNumSupportedVersions(&count), NVPTXCOMPILE_SUCCESS);
  std::vector<std::array<int, 2>> versions(static_cast<std::size_t>(count));
  auto* const rows = reinterpret_cast<int(*)[2]>(versions.data());
  EXPECT_EQ(nvPTXCompilerGetSupportedVersions(rows), NVPTXCOMPILE_SUCCESS);
  EXPECT_EQ(versions.front(), (std::array{1, 0}));
  EXPECT_TRUE(std::ranges::is_sorted(versions));
  EXPECT_NE(std::ranges::find(versions, std::array{9, 0}), versions.end());
  ASSERT_EQ(nvPTXCompilerGetNumSupportedArchs(&count), NVPTXCOMPILE_SUCCESS);
  std::vector<int> archs(static_cast<std::size_t>(count));
  EXPECT_EQ(nvPTXCompilerGetSupportedArchs(archs.data()), NVPTXCOMPILE_SUCCESS);
  EXPECT_TRUE(std::ranges::is_sorted(archs));
  for (const int arch : {10, 52, 75, 90, 121}) EXPECT_NE(std::ranges::find(archs, arch), archs.end()) << arch;
}

TEST(PtxCompiler, CanBeStopped) {
  struct Asked {
    int times = 0, answer = 0;
  };
  const auto ask = [](void* payload, void* reserved) {
    EXPECT_EQ(reserved, nullptr);
    auto* const asked = static_cast<Asked*>(payload);
    ++asked->times;
    return asked->answer;
  };
  const Compiler compiler(good);
  Asked asked;
  EXPECT_EQ(nvPTXCompilerSetFlowCallback(compiler.handle, ask, &asked), NVPTXCOMPILE_SUCCESS);
  EXPECT_EQ(compiler.compile({"-arch=sm_80"}), NVPTXCOMPILE_SUCCESS);
  EXPECT_GT(asked.times, 0);
  asked = {0, 1};
  EXPECT_EQ(compiler.compile({"-arch=sm_80"}), NVPTXCOMPILE_ERROR_CANCELLED);
  EXPECT_EQ(asked.times, 1);
  size_t bytes = 0;
  EXPECT_EQ(compiler.size(bytes), NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
  EXPECT_EQ(compiler.errors(), "");
  EXPECT_EQ(nvPTXCompilerSetFlowCallback(compiler.handle, nullptr, nullptr),
            NVPTXCOMPILE_ERROR_INVALID_INPUT);
}

TEST(PtxCompiler, RefusesWhatIsNoHandle) {
  size_t size = 0;
  nvPTXCompilerHandle handle = nullptr;
  EXPECT_EQ(nvPTXCompilerGetErrorLogSize(nullptr, &size), NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
  EXPECT_EQ(nvPTXCompilerCompile(nullptr, 0, nullptr), NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
  EXPECT_EQ(nvPTXCompilerDestroy(&handle), NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
  EXPECT_EQ(nvPTXCompilerCreate(&handle, 5, nullptr), NVPTXCOMPILE_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvPTXCompilerCreate(&handle, 0, "text"), NVPTXCOMPILE_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvPTXCompilerCreate(nullptr, 4, "text"), NVPTXCOMPILE_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvPTXCompilerGetVersion(nullptr, nullptr), NVPTXCOMPILE_ERROR_INVALID_INPUT);
}

}  // namespace
}  // namespace heddle::nvptxcompiler
