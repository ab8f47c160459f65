#include "api/opencl/build_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace heddle::opencl {
namespace {

namespace fs = std::filesystem;
using frontend::OpenClResult;
using ::testing::HasSubstr;

class BuildCacheTest : public ::testing::Test {
 protected:
  BuildCacheTest() {
    std::string name = (fs::temp_directory_path() / "heddle-builds-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~BuildCacheTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // As a process of its own would.
  OpenClResult build(std::string_view source, std::string_view options = {}) {
    return cache().build(target, source, options);
  }
  BuildCache cache() const { return BuildCache(kept(), 1 << 24); }
  std::string kept() const { return folder_ + "/kept"; }
  std::size_t entries() const { return files().size(); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (!fs::exists(kept())) return all;
    for (const auto& entry : fs::recursive_directory_iterator(kept()))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }
  // Whether an entry serves: finding an old one makes it new.
  bool served(const std::function<void()>& build) const {
    for (const fs::path& file : files())
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const std::size_t before = entries();
    build();
    bool used = false;
    for (const fs::path& file : files())
      used |= fs::last_write_time(file) > fs::file_time_type::clock::now() - std::chrono::minutes(5);
    return used && entries() == before;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string folder_;
  frontend::OpenClTarget target{.capability = "52", .extensions = {"cl_khr_fp64"}};
  // Warns, so that there is a log.
  const std::string source_ =
      "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global int* restrict a, local float4* b) "
      "{\n"
      "  if (a) a[0] = b[0].x;\n  return;\n#warning here\n}\n";
};

TEST_F(BuildCacheTest, GivesTheNextProcessWhatThisOneBuilt) {
  const std::string options = "-cl-kernel-arg-info -cl-nv-verbose";
  const OpenClResult first = build(source_, options);
  ASSERT_TRUE(first.ok()) << first.log;
  EXPECT_EQ(entries(), 1u);
  OpenClResult second;
  EXPECT_TRUE(served([&] { second = build(source_, options); }));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.ptx, first.ptx);
  EXPECT_THAT(second.log, HasSubstr("here"));
  EXPECT_EQ(second.log, first.log);
  EXPECT_TRUE(second.settings.argument_info);
  EXPECT_TRUE(second.settings.verbose);
  ASSERT_EQ(second.kernels.size(), 1u);
  EXPECT_EQ(second.kernels[0].required_group, (std::array<uint32_t, 3>{8, 4, 1}));
  ASSERT_EQ(second.kernels[0].arguments.size(), 2u);
  EXPECT_EQ(second.kernels[0].arguments[0].type_name, "int*");
  EXPECT_TRUE(second.kernels[0].arguments[0].is_restrict);
  EXPECT_EQ(second.kernels[0].arguments[1].alignment, first.kernels[0].arguments[1].alignment);
}

TEST_F(BuildCacheTest, TellsSourcesOptionsAndDevicesApart) {
  build(source_);
  build(source_ + " ");
  EXPECT_EQ(entries(), 2u);
  build(source_, "-DN=1");
  EXPECT_EQ(entries(), 3u);
  target.capability = "60";
  build(source_);
  EXPECT_EQ(entries(), 4u);
  target.extensions.clear();
  build(source_);
  EXPECT_EQ(entries(), 5u);
  EXPECT_TRUE(served([&] { build(source_); }));
}

TEST_F(BuildCacheTest, KeepsNoErrorsAndNothingThatTellsTheTime) {
  EXPECT_FALSE(build("kernel void k() { nothing; }").ok());
  EXPECT_FALSE(build(source_, "-cl-no-such-option").ok());
  EXPECT_TRUE(
      build("constant char made[] = __TIME__; kernel void k(global char* a) { *a = made[*a]; }").ok());
  EXPECT_EQ(entries(), 0u);
  // A word that is no macro's expansion is only a word.
  EXPECT_TRUE(build("kernel void k(global char* a) { *a = \"__TIME__\"[*a]; }").ok());
  EXPECT_EQ(entries(), 1u);
}

TEST_F(BuildCacheTest, NoticesThatAnIncludedFileHasChanged) {
  write("one.h", "#include \"two.h\"\n");
  write("two.h", "#define VALUE 11111\n");
  const std::string source = "#include \"one.h\"\nkernel void k(global int* a) { *a = VALUE; }";
  const std::string options = "-I " + folder_;
  EXPECT_THAT(build(source, options).ptx, HasSubstr("11111"));
  EXPECT_TRUE(served([&] { EXPECT_THAT(build(source, options).ptx, HasSubstr("11111")); }));
  write("two.h", "#define VALUE 22222\n");
  EXPECT_THAT(build(source, options).ptx, HasSubstr("22222"));
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(served([&] { EXPECT_THAT(build(source, options).ptx, HasSubstr("22222")); }));
  fs::remove(folder_ + "/two.h");
  const OpenClResult without = build(source, options);
  EXPECT_FALSE(without.ok());
  EXPECT_THAT(without.log, HasSubstr("two.h"));
}

TEST_F(BuildCacheTest, CompiledAndLinkedObjectsToo) {
  const std::vector<frontend::OpenClHeader> eleven{{"v.h", "#define VALUE 11111\n"}};
  const std::vector<frontend::OpenClHeader> twelve{{"v.h", "#define VALUE 12121\n"}};
  const std::string source = "#include <v.h>\nkernel void k(global int* a) { *a = VALUE; }";
  const OpenClResult first = cache().compile(target, source, eleven, {});
  ASSERT_TRUE(first.ok()) << first.log;
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(served([&] { EXPECT_EQ(cache().compile(target, source, eleven, {}).object, first.object); }));
  const OpenClResult other = cache().compile(target, source, twelve, {});
  EXPECT_NE(other.object, first.object);
  EXPECT_EQ(entries(), 2u);
  const auto link = [&](const OpenClResult& part, std::string_view options) {
    return cache().link(target, std::vector{part.object}, options);
  };
  EXPECT_THAT(link(first, {}).ptx, HasSubstr("11111"));
  EXPECT_THAT(link(other, {}).ptx, HasSubstr("12121"));
  EXPECT_TRUE(link(first, "-create-library").settings.create_library);
  EXPECT_EQ(entries(), 5u);
  EXPECT_TRUE(served([&] { EXPECT_THAT(link(first, {}).ptx, HasSubstr("11111")); }));
  EXPECT_TRUE(served([&] { EXPECT_TRUE(link(first, "-create-library").settings.create_library); }));
}

TEST_F(BuildCacheTest, ADamagedEntryIsBuiltAgain) {
  const OpenClResult first = build(source_);
  ASSERT_EQ(entries(), 1u);
  const fs::path entry = files()[0];
  fs::resize_file(entry, fs::file_size(entry) / 2);
  EXPECT_EQ(build(source_).ptx, first.ptx);
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(served([&] { build(source_); }));
}

TEST_F(BuildCacheTest, WithoutAFolderNothingIsKept) {
  BuildCache none("", 1 << 20);
  EXPECT_TRUE(none.build(target, source_, {}).ok());
  EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace heddle::opencl
