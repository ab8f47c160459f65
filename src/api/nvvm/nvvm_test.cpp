#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvvm.h>

#include <string>
#include <string_view>
#include <vector>

namespace heddle::nvvm {
namespace {

using testing::HasSubstr;
using testing::Not;

// As LLVM 7 wrote it: pointers have types, the version is a node.
constexpr std::string_view legacy = R"(
target triple = "nvptx64-unknown-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
declare float @twice(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @scale(float addrspace(1)* %p) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, float addrspace(1)* %p, i32 %i
  %v = load float, float addrspace(1)* %q, align 4
  %d = call float @twice(float %v)
  %r = fdiv float %d, 3.0
  store float %r, float addrspace(1)* %q, align 4
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float addrspace(1)*)* @scale, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0, i32 3, i32 1}
)";
constexpr std::string_view library = R"(
target triple = "nvptx64-nvidia-cuda"
define float @twice(float %x) { %y = fadd float %x, %x
  ret float %y }
define float @unused(float %x) { ret float %x }
)";

class Nvvm : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(nvvmCreateProgram(&program_), NVVM_SUCCESS); }
  void TearDown() override {
    EXPECT_EQ(nvvmDestroyProgram(&program_), NVVM_SUCCESS);
    EXPECT_EQ(program_, nullptr);
  }
  void add(std::string_view text, bool lazy = false) {
    ASSERT_EQ(
        (lazy ? nvvmLazyAddModuleToProgram : nvvmAddModuleToProgram)(program_, text.data(), text.size(), "m"),
        NVVM_SUCCESS);
  }
  nvvmResult compile(std::vector<const char*> options) {
    return nvvmCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }
  std::string ptx() {
    size_t size = 0;
    EXPECT_EQ(nvvmGetCompiledResultSize(program_, &size), NVVM_SUCCESS);
    std::string text(size, '?');
    EXPECT_EQ(nvvmGetCompiledResult(program_, text.data()), NVVM_SUCCESS);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  std::string log() {
    size_t size = 0;
    EXPECT_EQ(nvvmGetProgramLogSize(program_, &size), NVVM_SUCCESS);
    std::string text(size, '?');
    EXPECT_EQ(nvvmGetProgramLog(program_, text.data()), NVVM_SUCCESS);
    text.pop_back();
    return text;
  }
  nvvmProgram program_ = nullptr;
};

TEST_F(Nvvm, LinksALibraryAndTakesWhatIsCalled) {
  add(library, true);
  add(legacy);
  ASSERT_EQ(compile({"-arch=compute_80", "-opt=3"}), NVVM_SUCCESS) << log();
  EXPECT_EQ(log(), "");
  EXPECT_THAT(ptx(), HasSubstr(".target sm_80"));
  EXPECT_THAT(ptx(), HasSubstr(".visible .entry scale("));
  EXPECT_THAT(ptx(), HasSubstr("div.rn.f32"));
  EXPECT_THAT(ptx(), Not(HasSubstr("twice")));
  EXPECT_THAT(ptx(), Not(HasSubstr("unused")));
}

TEST_F(Nvvm, OptionsChangeDivisionsAndSubnormals) {
  add(legacy);
  add(library);
  ASSERT_EQ(compile({"-prec-div=0", "-ftz=1", "-arch=compute_75"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr("div.full.ftz.f32"));
  EXPECT_THAT(ptx(), HasSubstr("add.ftz.f32"));
  EXPECT_THAT(ptx(), HasSubstr(".visible .func")) << "a module's own functions stay";
}

TEST_F(Nvvm, IntrinsicsOfItsOwnBecomeInstructions) {
  add(R"(
target triple = "nvptx64-nvidia-cuda"
declare {i32, i1} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.vote.sync(i32, i32, i1)
declare {i32, i1} @llvm.nvvm.match.all.sync.i64(i32, i64)
define void @k(ptr %p, i64 %w) {
  %mode = alloca i32
  store i32 3, ptr %mode
  %v = load i32, ptr %p
  %m = load i32, ptr %mode
  %s = call {i32, i1} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 %m, i32 %v, i32 4, i32 31)
  %x = extractvalue {i32, i1} %s, 0
  %c = icmp eq i32 %x, 7
  %b = call {i32, i1} @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %c)
  %y = extractvalue {i32, i1} %b, 0
  %a = call {i32, i1} @llvm.nvvm.match.all.sync.i64(i32 -1, i64 %w)
  %z = extractvalue {i32, i1} %a, 0
  %t = add i32 %y, %z
  %u = add i32 %t, %x
  store i32 %u, ptr %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
)");
  ASSERT_EQ(compile({"-arch=compute_70"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr("shfl.sync.bfly.b32"));
  EXPECT_THAT(ptx(), Not(HasSubstr("shfl.sync.idx")));
  EXPECT_THAT(ptx(), HasSubstr("vote.sync.ballot.b32"));
  EXPECT_THAT(ptx(), HasSubstr("match.all.sync.b64"));
  EXPECT_THAT(ptx(), Not(HasSubstr(".func")));
}

TEST_F(Nvvm, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(compile({}), NVVM_ERROR_NO_MODULE_IN_PROGRAM);
  add("define void @k() {\n  %x = add i32 1, i64 2\n  ret void\n}\n");
  EXPECT_EQ(nvvmVerifyProgram(program_, 0, nullptr), NVVM_ERROR_INVALID_IR);
  EXPECT_THAT(log(), HasSubstr("m (2, "));
  EXPECT_EQ(compile({}), NVVM_ERROR_COMPILATION);
  EXPECT_THAT(log(), HasSubstr("m (2, "));
  EXPECT_EQ(compile({"-arch=compute_80", "-what"}), NVVM_ERROR_INVALID_OPTION);
  EXPECT_EQ(log(), "libnvvm : error: -what is an unsupported option");
  EXPECT_EQ(compile({"-arch=compute_7"}), NVVM_ERROR_INVALID_OPTION);
  EXPECT_EQ(compile({"-gen-lto"}), NVVM_ERROR_INVALID_OPTION);
  size_t size = 0;
  EXPECT_EQ(nvvmGetCompiledResultSize(program_, &size), NVVM_ERROR_INVALID_PROGRAM);
}

TEST_F(Nvvm, RefusesOtherVersionsTargetsAndUnknownIntrinsics) {
  add("target triple = \"nvptx64-nvidia-cuda\"\n!nvvmir.version = !{!0}\n!0 = !{i32 9, i32 0}\n");
  EXPECT_EQ(nvvmVerifyProgram(program_, 0, nullptr), NVVM_ERROR_IR_VERSION_MISMATCH);
  EXPECT_THAT(log(), HasSubstr("of version 9.0, the newest that is read is 2.0.3.1"));
  TearDown();
  SetUp();
  add("target triple = \"x86_64-pc-linux-gnu\"\n");
  EXPECT_EQ(nvvmVerifyProgram(program_, 0, nullptr), NVVM_ERROR_INVALID_IR);
  TearDown();
  SetUp();
  add("declare void @llvm.nvvm.what(i32)\ndefine void @f() { call void @llvm.nvvm.what(i32 1)\n ret void "
      "}\n");
  EXPECT_EQ(nvvmVerifyProgram(program_, 0, nullptr), NVVM_ERROR_INVALID_IR);
  EXPECT_EQ(log(), "error: there is no intrinsic 'llvm.nvvm.what'\n");
}

TEST_F(Nvvm, LinesAloneWithoutTheSectionsOfDebuggers) {
  const std::string text = std::string(R"(
target triple = "nvptx64-nvidia-cuda"
define void @k(ptr %p) !dbg !4 {
  store volatile i32 1, ptr %p, !dbg !6
  ret void, !dbg !6
}
!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!1}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, producer: "p", emissionKind: FullDebug)
!3 = !DIFile(filename: "a.py", directory: "/")
!4 = distinct !DISubprogram(name: "k", scope: !3, file: !3, line: 1, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 42, column: 1, scope: !4)
!7 = !{null}
)");
  add(text);
  ASSERT_EQ(compile({"-arch=compute_80"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), Not(HasSubstr(".loc")));
  ASSERT_EQ(compile({"-arch=compute_80", "-generate-line-info"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr(".loc\t1 42 1"));
  EXPECT_THAT(ptx(), Not(HasSubstr(".debug_info")));
  ASSERT_EQ(compile({"-arch=compute_80", "-g", "-opt=0"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr(".debug_info"));
  // A unit that asks for lines itself.
  TearDown();
  SetUp();
  std::string lines = text;
  lines.replace(lines.find("FullDebug"), 9, "DebugDirectivesOnly");
  add(lines);
  ASSERT_EQ(compile({"-arch=compute_80"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr(".loc\t1 42 1"));
}

TEST_F(Nvvm, DebugInformationNeedsNoVersionOfLlvms) {
  add(R"(
target triple = "nvptx64-nvidia-cuda"
define void @k(i32* %p) !dbg !4 {
  store volatile i32 1, i32* %p, !dbg !6
  ret void, !dbg !6
}
!llvm.dbg.cu = !{!2}
!nvvm.annotations = !{!0, !8}
!nvvmir.version = !{!1}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
!1 = !{i32 2, i32 0, i32 3, i32 1}
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, producer: "p", emissionKind: FullDebug)
!3 = !DIFile(filename: "a.py", directory: "/")
!4 = distinct !DISubprogram(name: "k", scope: !3, file: !3, line: 1, type: !5, unit: !2, isDefinition: true)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 42, column: 1, scope: !4)
!7 = !{null}
!8 = !{void (i32*)* @k, !"maxntidx", i32 128, !"minctasm", i32 2, !"cluster_max_blocks", i32 4}
)");
  ASSERT_EQ(compile({"-arch=compute_90", "-generate-line-info"}), NVVM_SUCCESS) << log();
  EXPECT_THAT(ptx(), HasSubstr(".loc\t1 42 1"));
  EXPECT_THAT(ptx(), HasSubstr(".file\t1 \"/a.py\""));
  EXPECT_THAT(ptx(), HasSubstr(".maxntid 128"));
  EXPECT_THAT(ptx(), HasSubstr(".maxclusterrank 4"));
}

TEST(NvvmQueries, TellVersionsAndNames) {
  int major = 0, minor = 0, debug_major = 0, debug_minor = 0;
  EXPECT_EQ(nvvmVersion(&major, &minor), NVVM_SUCCESS);
  EXPECT_EQ(major, 2);
  EXPECT_EQ(nvvmIRVersion(&major, &minor, &debug_major, &debug_minor), NVVM_SUCCESS);
  EXPECT_EQ(major, 2);
  EXPECT_EQ(debug_major, 3);
  EXPECT_EQ(nvvmLLVMVersion("compute_100", &major), NVVM_SUCCESS);
  EXPECT_EQ(major, 19);
  EXPECT_EQ(nvvmLLVMVersion("sm_100", &major), NVVM_ERROR_INVALID_INPUT);
  EXPECT_STREQ(nvvmGetErrorString(NVVM_ERROR_INVALID_IR), "NVVM_ERROR_INVALID_IR");
}

}  // namespace
}  // namespace heddle::nvvm
