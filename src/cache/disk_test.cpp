#include "cache/disk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace heddle::cache {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "heddle-cache-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, ignored);
    fs::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  std::string path_;
};

Digest key_of(uint64_t number) {
  KeyHash hash;
  hash.add(number);
  return hash.digest();
}

std::vector<fs::path> files(const std::string& directory) {
  std::vector<fs::path> all;
  for (const auto& e : fs::recursive_directory_iterator(directory)) {
    if (e.is_regular_file()) all.push_back(e.path());
  }
  return all;
}

TEST(KeyHash, TellsListsOfPiecesApart) {
  const auto digest = [](std::initializer_list<std::string_view> pieces) {
    KeyHash hash;
    for (std::string_view p : pieces) hash.add(p);
    return hash.digest();
  };
  EXPECT_EQ(digest({"ab", "c"}), digest({"ab", "c"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"abc"}), digest({"abc", ""}));
  EXPECT_EQ(build_identity(), build_identity());
}

TEST(Entry, IsReadOnlyWholeAndUnderItsKey) {
  const Digest key = key_of(1);
  const std::string file = write_entry(key, "payload");
  EXPECT_EQ(read_entry(key, file), "payload");
  EXPECT_EQ(read_entry(key, write_entry(key, "")), "");
  EXPECT_FALSE(read_entry(key_of(2), file));
  for (size_t n = 0; n < file.size(); ++n) {
    EXPECT_FALSE(read_entry(key, file.substr(0, n)));
    std::string damaged = file;
    damaged[n] ^= 0x10;
    EXPECT_FALSE(read_entry(key, damaged));
  }
  EXPECT_FALSE(read_entry(key, file + "x"));
}

TEST(DiskCache, GivesBackWhatWasStored) {
  const Folder folder;
  DiskCache cache(Kind::kernel, folder / "a/b", 1 << 20);
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_FALSE(cache.has(key_of(1)));
  EXPECT_TRUE(cache.store(key_of(1), "one"));
  EXPECT_TRUE(cache.has(key_of(1)));
  EXPECT_TRUE(cache.store(key_of(2), ""));
  EXPECT_EQ(cache.find(key_of(1)), "one");
  EXPECT_EQ(cache.find(key_of(2)), "");
  EXPECT_TRUE(cache.store(key_of(1), "another"));
  DiskCache next(Kind::kernel, folder / "a/b", 1 << 20);
  EXPECT_EQ(next.find(key_of(1)), "another");
  EXPECT_THAT(contents_of(folder / "a/b").entries, testing::ElementsAre(2, 0, 0, 0, 0));
  next.remove(key_of(1));
  EXPECT_FALSE(next.find(key_of(1)));
  EXPECT_THAT(clear(folder / "a/b"), testing::ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(contents_of(folder / "a/b").entries, testing::ElementsAre(0, 0, 0, 0, 0));
  EXPECT_TRUE(fs::is_empty(folder / "a/b"));
}

TEST(DiskCache, KeepsKindsApartInOneFolder) {
  const Folder folder;
  DiskCache kernels(Kind::kernel, folder / "c", 1 << 20), programs(Kind::program, folder / "c", 1 << 20);
  EXPECT_TRUE(kernels.store(key_of(1), "code"));
  EXPECT_FALSE(programs.find(key_of(1)));
  EXPECT_TRUE(programs.store(key_of(1), "text"));
  EXPECT_TRUE(programs.store(key_of(2), "text"));
  EXPECT_EQ(kernels.find(key_of(1)), "code");
  EXPECT_EQ(programs.find(key_of(1)), "text");
  EXPECT_THAT(contents_of(folder / "c").entries, testing::ElementsAre(1, 2, 0, 0, 0));
  EXPECT_THAT(clear(folder / "c"), testing::ElementsAre(1, 2, 0, 0, 0));
}

TEST(DiskCache, RemovesDamagedEntries) {
  const Folder folder;
  DiskCache cache(Kind::kernel, folder / "c", 1 << 20);
  ASSERT_TRUE(cache.store(key_of(1), std::string(1000, 'x')));
  const auto all = files(folder / "c");
  ASSERT_EQ(all.size(), 1u);
  fs::resize_file(all[0], 500);
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_TRUE(files(folder / "c").empty());
}

TEST(DiskCache, TakesNoLinksAndNoForeignFiles) {
  const Folder folder;
  DiskCache cache(Kind::kernel, folder / "c", 1 << 20);
  ASSERT_TRUE(cache.store(key_of(1), "x"));
  const fs::path entry = files(folder / "c")[0];
  fs::rename(entry, folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", entry);
  EXPECT_FALSE(cache.find(key_of(1)));
  std::ofstream(folder / "c/notes.txt") << "mine";
  std::ofstream(entry.parent_path() / "notes.txt") << "mine";
  (void)clear(folder / "c");
  EXPECT_TRUE(fs::exists(folder / "c/notes.txt"));
  EXPECT_TRUE(fs::exists(entry.parent_path() / "notes.txt"));
}

// A pipe would wait for somebody who writes to it.
TEST(DiskCache, LooksIntoNothingThatIsNoFile) {
  const Folder folder;
  DiskCache cache(Kind::kernel, folder / "c", 1 << 20);
  ASSERT_TRUE(cache.store(key_of(1), "one"));
  const fs::path place = files(folder / "c").front();
  for (const auto& make : {+[](const char* path) { return mkfifo(path, 0600); },
                           +[](const char* path) { return mkdir(path, 0700); }}) {
    ASSERT_EQ(std::remove(place.c_str()), 0);
    ASSERT_EQ(make(place.c_str()), 0);
    EXPECT_FALSE(cache.find(key_of(1)));
  }
}

TEST(DiskCache, MapsWhatIsLarge) {
  const Folder folder;
  DiskCache cache(Kind::beginning, folder / "c", 16 << 20);
  const std::string large(500'001, 'x');
  ASSERT_TRUE(cache.store(key_of(1), large));
  auto mapped = cache.map(key_of(1));
  ASSERT_TRUE(mapped);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped->payload.data()) % 8, 0u);
  // It stays what it is while another takes its place.
  ASSERT_TRUE(cache.store(key_of(1), "another"));
  EXPECT_EQ(mapped->payload, large);
  EXPECT_EQ(cache.map(key_of(1))->payload, "another");
  fs::resize_file(files(folder / "c")[0], 60);
  EXPECT_FALSE(cache.map(key_of(1)));
  EXPECT_TRUE(files(folder / "c").empty());
}

TEST(DiskCache, LeavesOtherKindsRoomAndWhatWasUsedToday) {
  const Folder folder;
  constexpr uint64_t bound = 16 << 20;
  DiskCache kernels(Kind::kernel, folder / "c", bound), headers(Kind::beginning, folder / "c", bound);
  const std::string payload(100'000, 'x');
  ASSERT_TRUE(kernels.store(key_of(1), payload));
  ASSERT_TRUE(headers.store(key_of(2), payload));
  EXPECT_FALSE(headers.has_room(bound));      // more than one entry may be
  EXPECT_TRUE(headers.has_room(bound / 16));  // of which half the folder may be full
  for (uint64_t i = 3; i < 3 + 78; ++i) ASSERT_TRUE(headers.store(key_of(i), payload));
  EXPECT_FALSE(headers.has_room(bound / 16));
  EXPECT_TRUE(headers.has_room(payload.size()));
  for (const fs::path& p : files(folder / "c"))
    fs::last_write_time(p, fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_TRUE(headers.has_room(bound / 16));
  EXPECT_TRUE(kernels.find(key_of(1)));
  EXPECT_LT(contents_of(folder / "c").entries[static_cast<std::size_t>(Kind::beginning)], 79u);
}

TEST(DiskCache, StaysNearItsBoundAndKeepsWhatIsUsed) {
  const Folder folder;
  constexpr uint64_t bound = 4 << 20;
  DiskCache cache(Kind::kernel, folder / "c", bound);
  const std::string payload(4000, 'x');
  const Digest used = key_of(0);
  ASSERT_TRUE(cache.store(used, payload));
  const std::string where = files(folder / "c")[0].string();
  for (uint64_t i = 1; i < 2000; ++i) {
    ASSERT_TRUE(cache.store(key_of(i), payload));
    // Everything else was used an hour ago, this one today.
    if (i % 100 == 0) {
      for (const fs::path& p : files(folder / "c")) {
        if (p != where) fs::last_write_time(p, fs::file_time_type::clock::now() - std::chrono::hours(2));
      }
      fs::last_write_time(where, fs::file_time_type::clock::now() - std::chrono::hours(1));
      EXPECT_TRUE(cache.find(used));  // which makes it new again
      EXPECT_GT(fs::last_write_time(where), fs::file_time_type::clock::now() - std::chrono::minutes(5));
    }
  }
  const auto contents = contents_of(folder / "c");
  EXPECT_LT(contents.bytes, bound * 3 / 2);
  EXPECT_GT(contents.bytes, bound / 2);
  EXPECT_TRUE(cache.find(used));
}

TEST(DiskCache, RemovesFilesThatNobodyFinished) {
  const Folder folder;
  DiskCache cache(Kind::kernel, folder / "c", 1 << 20);
  // A key whose store looks at its shard.
  uint64_t n = 0;
  while ((key_of(n)[1] & 7) != 0) ++n;
  ASSERT_TRUE(cache.store(key_of(n), "x"));
  const fs::path shard = files(folder / "c")[0].parent_path();
  std::ofstream(shard / ".new-1-2") << "half";
  std::ofstream(shard / ".new-3-4") << "half";
  fs::last_write_time(shard / ".new-1-2", fs::file_time_type::clock::now() - std::chrono::hours(3));
  DiskCache later(Kind::kernel, folder / "c", 1 << 20);
  ASSERT_TRUE(later.store(key_of(n), "x"));
  EXPECT_FALSE(fs::exists(shard / ".new-1-2"));
  EXPECT_TRUE(fs::exists(shard / ".new-3-4"));
}

TEST(DiskCache, TellsTheKeysOfItsOwnKind) {
  const Folder folder;
  DiskCache kernels(Kind::kernel, folder / "c", 1 << 20), notes(Kind::experience, folder / "c", 1 << 20);
  EXPECT_TRUE(notes.keys().empty());
  EXPECT_TRUE(kernels.store(key_of(1), "code"));
  for (const uint64_t number : {2, 3, 4}) EXPECT_TRUE(notes.store(key_of(number), "note"));
  EXPECT_THAT(notes.keys(), testing::UnorderedElementsAre(key_of(2), key_of(3), key_of(4)));
}

TEST(DiskCache, LivesWithFoldersThatTakeNothing) {
  const Folder folder;
  std::ofstream(folder / "file") << "no folder";
  DiskCache under_a_file(Kind::kernel, folder / "file", 1 << 20);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(under_a_file.store(key_of(1), "x"));
  EXPECT_FALSE(under_a_file.find(key_of(1)));
  EXPECT_EQ(contents_of(folder / "file").bytes, 0u);
  EXPECT_THAT(clear(folder / "file"), testing::ElementsAre(0, 0, 0, 0, 0));

  DiskCache full(Kind::kernel, "/dev/full", 1 << 20);
  EXPECT_FALSE(full.store(key_of(1), "x"));

  if (geteuid() != 0) {  // the administrator may write anywhere
    fs::create_directory(folder / "readonly");
    fs::permissions(folder / "readonly", fs::perms::owner_read | fs::perms::owner_exec);
    DiskCache read_only(Kind::kernel, folder / "readonly", 1 << 20);
    EXPECT_FALSE(read_only.store(key_of(1), "x"));
  }
}

TEST(DiskCache, IsSharedByProcesses) {
  const Folder folder;
  const std::string where = folder / "c";
  constexpr int keys = 20, rounds = 40;
  // Each process stores and reads the same keys; what is read must be whole and of its key.
  const auto work = [&](char who) {
    DiskCache cache(Kind::kernel, where, 1 << 18);
    for (int round = 0; round < rounds; ++round) {
      for (int k = 0; k < keys; ++k) {
        const std::string payload = std::to_string(k) + std::string(3000 + 100 * (who % 7), who);
        (void)cache.store(key_of(k), payload);
        const auto found = cache.find(key_of(k));
        if (found && !found->starts_with(std::to_string(k))) return false;
      }
    }
    return true;
  };
  std::vector<pid_t> children;
  for (char who : {'a', 'b', 'c'}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(work(who) ? 0 : 1);
    children.push_back(child);
  }
  EXPECT_TRUE(work('z'));
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  DiskCache cache(Kind::kernel, where, 1 << 18);
  for (const fs::path& p : files(where)) EXPECT_FALSE(p.filename().string().starts_with(".new-"));
}

TEST(CacheDirectory, ComesFromTheEnvironment) {
  std::map<std::string, std::string> variables;
  const Environment environment = [&](const char* name) -> const char* {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(cache_directory(environment), "");
  variables["HOME"] = "/var/ada";
  EXPECT_EQ(cache_directory(environment), "/var/ada/.cache/heddle");
  variables["XDG_CACHE_HOME"] = "relative";
  EXPECT_EQ(cache_directory(environment), "/var/ada/.cache/heddle");
  variables["XDG_CACHE_HOME"] = "/var/cache/ada";
  EXPECT_EQ(cache_directory(environment), "/var/cache/ada/heddle");
  variables["HEDDLE_CACHE_DIR"] = "here";
  EXPECT_EQ(cache_directory(environment), "here");
  variables["HEDDLE_CACHE_DIR"] = "";
  EXPECT_EQ(cache_directory(environment), "");

  EXPECT_EQ(*cache_size(environment), uint64_t{1} << 30);
  variables["HEDDLE_CACHE_SIZE"] = "300M";
  EXPECT_EQ(*cache_size(environment), uint64_t{300} << 20);
  variables["HEDDLE_CACHE_SIZE"] = "12345";
  EXPECT_EQ(*cache_size(environment), 12345u);
  for (const char* bad : {"1T", "M", "-1", "99999999999G", "1 G"}) {
    variables["HEDDLE_CACHE_SIZE"] = bad;
    auto size = cache_size(environment);
    ASSERT_FALSE(size) << bad;
    EXPECT_THAT(size.error().message, testing::HasSubstr("HEDDLE_CACHE_SIZE is '" + std::string(bad)));
  }
}

}  // namespace
}  // namespace heddle::cache
