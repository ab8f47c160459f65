// Users' own devices: read like those of the catalogue, refused in the build's words.
#include "arch/record.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/toml.h"

namespace heddle::arch {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string refusal(std::string_view text) {
  const auto device = read_record("mine.toml", "mine", text);
  return device.ok() ? "accepted" : device.error().message;
}

// tools/gen/arch_records_test.py reads the same list.
TEST(Record, IsRefusedInTheWordsOfTheBuild) {
  const auto cases = read_toml(text_of(HEDDLE_SOURCE_DIR "/src/arch/bad_records.toml"));
  ASSERT_TRUE(cases.ok()) << cases.error().message;
  EXPECT_GE((*cases).size(), 18u);
  for (const TomlEntry& one : *cases) {
    EXPECT_EQ(refusal(*find(*one.value.table(), "record")->text()),
              "mine.toml: " + *find(*one.value.table(), "error")->text())
        << one.key;
  }
}

TEST(Record, MayBeLikeAnotherDevice) {
  const auto device = read_record("mine.toml", "mine",
                                  "name = 'Half an H200'\nlike = 'h200'\nboard = { multiprocessors = 66 }\n"
                                  "[arch.features]\nclusters = false\n[arch.launch]\nmax_cluster_blocks = 0\n"
                                  "max_cluster_blocks_opt_in = 0\n");
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ((*device).id, "mine");
  EXPECT_EQ((*device).name, "Half an H200");
  EXPECT_EQ((*device).board.multiprocessors, 66u);
  EXPECT_EQ((*device).dram.bus_bits, 6016u);
  const auto attribute = [&](Attribute one) { return (*device).attribute(one).number; };
  EXPECT_EQ(attribute(Attribute::multiprocessor_count), 66);  // derived anew
  EXPECT_EQ(attribute(Attribute::cluster_launch), 0);
  EXPECT_EQ(attribute(Attribute::mem_sync_domain_count), 4);  // as the H200's record says
  EXPECT_FALSE((*device).has(Feature::clusters));
}

TEST(Record, OfEveryDeviceIsReadAgain) {
  for (const Device& device : all_devices()) {
    ASSERT_FALSE(record(device).empty()) << device.id;
    const auto again = read_record("again", device.id, record(device));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ((*again).name, device.name);
    EXPECT_GT((*again).board.multiprocessors, 0u) << device.id;
    EXPECT_FALSE((*again).source.empty()) << device.id;
    EXPECT_FALSE((*again).board.chip.empty()) << device.id;
  }
}

TEST(Record, OfAFileIsOneDeviceHoweverOftenItIsNamed) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "heddle_record_test";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "mine.toml").string();
  std::ofstream(file) << "name = 'Mine'\nlike = 'gtx480'\n";
  const auto once = find_device(file), twice = find_device(file);
  ASSERT_TRUE(once.ok()) << once.error().message;
  EXPECT_EQ(*once, *twice);
  EXPECT_EQ((*once)->id, "mine");
  EXPECT_EQ(describe(**once), "device 'mine' (sm_20)");
  EXPECT_EQ(find_device((folder / "none.toml").string()).error().message,
            (folder / "none.toml").string() + ": No such file or directory");
  EXPECT_EQ(find_device(folder.string() + "/").error().message, folder.string() + "/: is a folder");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::arch
