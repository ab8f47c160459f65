#include "exec/jit/compiler/experience.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::jit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view text = R"(
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 a) { ret; }
)";

class ExperienceOnDisk : public ::testing::Test {
 protected:
  ExperienceOnDisk() {
    std::string name = (fs::temp_directory_path() / "heddle-experience-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    auto source = std::make_shared<SourceText>("test.ptx", std::string(text));
    Diagnostics diagnostics;
    const ptx::Module syntax = ptx::read(source, diagnostics);
    const ptx::Module* const modules[] = {&syntax};
    auto image = module::link(modules);
    request_.image = std::move(*image);
    request_.function = request_.image->function_index("k");
    request_.device = &arch::default_device();
    request_.shape = {.block = {32, 2, 1}, .word_alignment = {4}, .zero_environment = 5, .merges = true};
    request_.tier = Tier::best;
    key_[0] = 0xab;
    key_[15] = 0xcd;
  }
  ~ExperienceOnDisk() override { fs::remove_all(folder_); }
  std::string folder_;
  CompileRequest request_;
  cache::Digest key_{};
};

TEST_F(ExperienceOnDisk, is_the_sum_of_what_processes_noted) {
  Experiences(folder_, 1 << 24).add(key_, request_, {.ran = 100, .quick = 7});
  Experiences(folder_, 1 << 24).add(key_, request_, {.ran = 20, .quick = 5});
  Experiences later(folder_, 1 << 24);
  EXPECT_EQ(later.find(key_).ran, 120u);
  EXPECT_EQ(later.find(key_).quick, 7u);
  later.remove(key_);
  EXPECT_EQ(later.find(key_).ran, 0u);
}

TEST_F(ExperienceOnDisk, has_all_that_the_code_is_made_of) {
  Experiences experiences(folder_, 1 << 24);
  experiences.add(key_, request_, {.ran = 100, .quick = 7});
  const auto all = experiences.all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].key, key_);
  EXPECT_EQ(all[0].texts, std::vector<std::string>{std::string(text)});
  EXPECT_EQ(all[0].device, arch::default_device().id);
  EXPECT_EQ(all[0].function, request_.function);
  EXPECT_EQ(all[0].shape, request_.shape);
}

TEST_F(ExperienceOnDisk, without_its_text_is_of_no_use) {
  Experiences experiences(folder_, 1 << 24);
  experiences.add(key_, request_, {.ran = 100, .quick = 7});
  for (const auto& file : fs::recursive_directory_iterator(folder_))
    if (file.path().extension() == ".text") fs::remove(file.path());
  EXPECT_TRUE(experiences.all().empty());
  EXPECT_EQ(experiences.find(key_).ran, 0u);
}

TEST_F(ExperienceOnDisk, that_is_cut_off_is_none) {
  const std::string whole = write_experience({.experience = {.ran = 1, .quick = 2},
                                              .texts = {key_},
                                              .device = "h200",
                                              .function = 3,
                                              .shape = request_.shape});
  ASSERT_TRUE(read_experience(whole));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(read_experience(whole.substr(0, bytes))) << bytes;
}

}  // namespace
}  // namespace heddle::exec::jit
