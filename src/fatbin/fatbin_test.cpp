#include "fatbin/fatbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fatbin/embedded.h"
#include "fatbin/text_cubin.h"

namespace heddle::fatbin {
namespace {

using testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

template <class T>
std::string said(const Result<T>& result) {
  return result ? "ok" : result.error().message;
}

NewEntry ptx(uint32_t arch, std::string_view content, Compression compression = Compression::zstd,
             Arch::Reach reach = Arch::Reach::portable) {
  NewEntry entry;
  entry.arch = {arch, reach};
  entry.version_major = 8;
  entry.version_minor = 5;
  entry.compression = compression;
  entry.content = content;
  return entry;
}

NewEntry elf(uint32_t arch) {
  NewEntry entry = ptx(arch,
                       "\x7f"
                       "ELF");
  entry.kind = Kind::elf;
  return entry;
}

std::string file(std::initializer_list<NewEntry> entries) { return *write(std::vector<NewEntry>(entries)); }

// One entry by hand, as the format's description has it.
std::string by_hand() {
  const unsigned char bytes[] = {
      0x50, 0xed, 0x55, 0xba, 1,   0, 16, 0, 104, 0, 0, 0, 0, 0, 0, 0,  // file: 104 bytes follow
      1,    0,    1,    1,    96,  0, 0,  0,                            // PTX, header of 96 bytes
      8,    0,    0,    0,    0,   0, 0,  0,                            // 8 bytes of content
      0,    0,    0,    0,    72,  0, 0,  0,                            // not compressed, options at 72
      5,    0,    8,    0,    75,  0, 0,  0,                            // version 8.5, compute_75
      64,   0,    0,    0,    4,   0, 0,  0,                            // name at 64
      0x13, 0,    0,    0,    0,   0, 0,  0,                            // 64 bit, Linux, debug
      0,    0,    0,    0,    0,   0, 0,  0, 0,   0, 0, 0, 0, 0, 0, 0,  //
      'k',  '.',  'c',  'u',  0,   0, 0,  0,                            //
      80,   0,    0,    0,    2,   0, 0,  0,                            // options: 2 bytes at 80
      '-',  'g',  0,    0,    0,   0, 0,  0, 0,   0, 0, 0, 0, 0, 0, 0,  //
      '.',  'v',  'e',  'r',  's', 0, 0,  0};
  return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

TEST(FatBinary, ReadsBytesMadeByHand) {
  const std::string made = by_hand();
  const auto entries = read(bytes_of(made));
  ASSERT_TRUE(entries.ok()) << said(entries);
  ASSERT_EQ(entries->size(), 1U);
  const Entry& entry = entries->front();
  EXPECT_EQ(entry.kind, Kind::ptx);
  EXPECT_EQ(entry.arch.number, 75U);
  EXPECT_EQ(entry.version_major, 8);
  EXPECT_EQ(entry.version_minor, 5);
  EXPECT_TRUE(entry.debug);
  EXPECT_EQ(entry.source_name, "k.cu");
  EXPECT_EQ(entry.options, "-g");
  EXPECT_EQ(*contents(entry), ".vers");
}

// An LZ4 block and a zstd frame that other programs made of "abc" 40 times.
TEST(FatBinary, ReadsCompressionOfOthers) {
  std::string expected;
  for (int i = 0; i < 40; ++i) expected += "abc";
  std::string raw = by_hand();
  const auto with = [&](std::string_view stored, uint16_t flag) {
    std::string made = raw.substr(0, 112) + std::string(stored);
    made.resize(144, '\0');
    made[8] = static_cast<char>(made.size() - 16);
    made[24] = 32;  // padded
    made[32] = static_cast<char>(stored.size());
    made[57] = static_cast<char>(flag >> 8);
    made[72] = 120;
    return made;
  };
  // Block format: literals "abc", a match of 112 at distance 3, literals "bcabc" at the end (LZ4 block
  // format, "the last 5 bytes are always literals").
  const std::string lz4 = with(std::string("\x3f"
                                           "abc"
                                           "\x03\x00\x5d"
                                           "\x50"
                                           "bcabc",
                                           13),
                               0x2000);
  const auto entries = read(bytes_of(lz4));
  ASSERT_TRUE(entries.ok()) << said(entries);
  ASSERT_EQ(entries->front().compression, Compression::lz4);
  const auto text = contents(entries->front());
  ASSERT_TRUE(text.ok()) << said(text);
  EXPECT_EQ(*text, expected);
  // A frame (RFC 8878) with one segment of 120 bytes: a single block, RLE of 'z' 120 times.
  const std::string zstd = with(std::string("\x28\xb5\x2f\xfd\x20\x78\xc3\x03\x00z", 10), 0x8000);
  const auto frames = read(bytes_of(zstd));
  ASSERT_TRUE(frames.ok()) << said(frames);
  const auto run = contents(frames->front());
  ASSERT_TRUE(run.ok()) << said(run);
  EXPECT_EQ(*run, std::string(120, 'z'));
}

TEST(FatBinary, WritesWhatItReads) {
  const std::string text = ".version 8.5\n.target sm_75\n" + std::string(5000, ' ');
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    NewEntry second = ptx(90, text, compression, Arch::Reach::exact);
    second.options = "-maxrregcount=32";
    second.source_name = "dir/kernel.cu";
    second.debug = true;
    const std::string made = file({elf(80), second, ptx(100, "x", compression, Arch::Reach::family)});
    EXPECT_EQ(made.size() % 8, 0U);
    if (compression != Compression::none) EXPECT_LT(made.size(), 600U);
    const auto entries = read(bytes_of(made));
    ASSERT_TRUE(entries.ok()) << said(entries);
    ASSERT_EQ(entries->size(), 3U);
    EXPECT_EQ(entries->at(0).kind, Kind::elf);
    const Entry& entry = entries->at(1);
    EXPECT_EQ(entry.arch, (Arch{90, Arch::Reach::exact}));
    EXPECT_EQ(entry.compression, compression);
    EXPECT_EQ(entry.options, "-maxrregcount=32");
    EXPECT_EQ(entry.source_name, "dir/kernel.cu");
    EXPECT_TRUE(entry.debug);
    EXPECT_EQ(*contents(entry), text);
    EXPECT_EQ(entries->at(2).arch, (Arch{100, Arch::Reach::family}));
    EXPECT_EQ(*contents(entries->at(2)), "x");
  }
}

TEST(FatBinary, EveryCutIsAnError) {
  const std::string made = file({ptx(75, "one", Compression::none), ptx(80, "two")});
  for (std::size_t size = 0; size < made.size(); ++size)
    EXPECT_FALSE(read(bytes_of(made).first(size)).ok()) << size;
}

TEST(FatBinary, NamesWhatCannotBe) {
  const auto with = [](std::size_t at, unsigned char value) {
    std::string made = by_hand();
    made[at] = static_cast<char>(value);
    return said(read(bytes_of(made)));
  };
  EXPECT_THAT(with(0, 0), HasSubstr("no fat binary: it begins with 0xba55ed00, not with 0xba55ed50"));
  EXPECT_THAT(with(4, 2), HasSubstr("version 2"));
  EXPECT_THAT(with(6, 8), HasSubstr("cut off"));
  EXPECT_THAT(with(8, 105), HasSubstr("says 16 + 105 bytes, there are 120"));
  EXPECT_THAT(with(8, 103), HasSubstr("entry 0 of the fat binary says 96 + 8 bytes, there are 103"));
  EXPECT_THAT(with(20, 63), HasSubstr("says 63 + 8 bytes"));
  EXPECT_THAT(with(31, 0xff), HasSubstr("18374686479671623688 bytes, there are 104"));
  EXPECT_THAT(with(36, 92), HasSubstr("has its options outside"));
  EXPECT_THAT(with(92, 255), HasSubstr("the text of its options outside"));
  EXPECT_THAT(with(52, 40), HasSubstr("has its name outside"));
  EXPECT_THAT(with(32, 9), HasSubstr("ok"));  // counts only when it is compressed
}

TEST(FatBinary, ContentThatIsNotWhatItSays) {
  const std::string text(1000, 'x');
  for (const Compression compression : {Compression::lz4, Compression::zstd}) {
    const std::string made = file({ptx(75, text, compression)});
    const auto entries = read(bytes_of(made));
    ASSERT_TRUE(entries.ok());
    Entry entry = entries->front();
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{999}, uint64_t{1001}, uint64_t{100000}, most_bytes}) {
      entry.bytes = bytes;
      EXPECT_FALSE(contents(entry).ok()) << bytes;
    }
    entry.bytes = most_bytes + 1;
    EXPECT_THAT(said(contents(entry)), HasSubstr("at most 1073741824"));
    entry.bytes = 1000;
    entry.stored = entry.stored.first(entry.stored.size() - 1);
    EXPECT_FALSE(contents(entry).ok());
    entry.stored = {};
    EXPECT_THAT(said(contents(entry)), HasSubstr("PTX for compute_75 in the fat binary"));
  }
}

const Entry* chosen(const std::vector<Entry>& entries, uint32_t capability) {
  const auto found = choose_ptx(entries, capability);
  return found ? *found : nullptr;
}

TEST(ChoosePtx, TakesTheNearest) {
  const std::string made = file({elf(75), ptx(50, "a"), ptx(80, "b"), ptx(70, "c"), elf(90)});
  const auto entries = *read(bytes_of(made));
  EXPECT_EQ(chosen(entries, 90), &entries[2]);
  EXPECT_EQ(chosen(entries, 80), &entries[2]);
  EXPECT_EQ(chosen(entries, 75), &entries[3]);
  EXPECT_EQ(chosen(entries, 61), &entries[1]);
  EXPECT_EQ(chosen(entries, 35), nullptr);
}

TEST(ChoosePtx, SpecificArchitecturesReachOnlySoFar) {
  const std::string made = file({ptx(80, "p"), ptx(90, "a", Compression::none, Arch::Reach::exact),
                                 ptx(100, "f", Compression::none, Arch::Reach::family)});
  const auto entries = *read(bytes_of(made));
  EXPECT_EQ(chosen(entries, 90), &entries[1]);
  EXPECT_EQ(chosen(entries, 89), &entries[0]);
  EXPECT_EQ(chosen(entries, 103), &entries[2]);
  EXPECT_EQ(chosen(entries, 120), &entries[0]);
}

TEST(ChoosePtx, SaysWhatIsThereAndWhatWouldHelp) {
  const auto refusal = [](std::initializer_list<NewEntry> list, uint32_t capability) {
    const std::string made = file(list);
    return said(choose_ptx(*read(bytes_of(made)), capability));
  };
  EXPECT_EQ(refusal({elf(80), elf(90)}, 75),
            "machine code only (machine code for sm_80, sm_90), no PTX: rebuild with -gencode "
            "arch=compute_75,code=compute_75");
  EXPECT_EQ(
      refusal({elf(80), ptx(90, "")}, 75),
      "no PTX for compute capability 7.5, but PTX for compute_90 and machine code for sm_80: rebuild with "
      "-gencode arch=compute_75,code=compute_75");
  EXPECT_THAT(refusal({}, 90), HasSubstr("no PTX, but nothing"));
}

TEST(Embedded, KnowsFormsByTheirFirstBytes) {
  EXPECT_EQ(form_of(by_hand().c_str()), Form::fat_binary);
  EXPECT_EQ(form_of("\x7f"
                    "ELF"),
            Form::elf);
  EXPECT_EQ(form_of(".version 8.0"), Form::ptx);
  EXPECT_EQ(form_of("\n// made by hand\n/* .x */ .version 8.0"), Form::ptx);
  EXPECT_EQ(form_of(""), Form::unknown);
  EXPECT_EQ(form_of("/"), Form::unknown);
  EXPECT_EQ(form_of("/* no end"), Form::unknown);
  EXPECT_EQ(form_of("int main"), Form::unknown);
}

TEST(TextCubin, IsReadAsItWasWritten) {
  for (const std::string_view content : {"", ".version 1.4", ".version 1.4\n.target sm_13\n"}) {
    const std::string fat = file({ptx(13, content, Compression::none)});
    TextCubin cubin;
    cubin.arch = {13};
    cubin.fat_binary = fat;
    cubin.kernels = {{"_Z1kPf", 8, 68, 10, 1}};
    const std::string text = write(cubin);
    EXPECT_THAT(text, testing::StartsWith("architecture {sm_13}\nabiversion   {1}\nmodname      {cubin}\n"));
    EXPECT_THAT(text, HasSubstr("code  {\n\tname = _Z1kPf\n\tlmem = 8\n\tsmem = 68\n\treg  = 10\n\tbar  = 1\n"
                                "\tbincode  {\n\t}\n}\n"));
    EXPECT_TRUE(is_text_cubin(text));
    EXPECT_EQ(form_of(text.c_str()), Form::text_cubin);
    const auto read = read_text_cubin(text);
    ASSERT_TRUE(read) << said(read);
    EXPECT_EQ(*read, fat);
    for (std::size_t cut = 0; cut < text.find("\n\t}"); ++cut)
      EXPECT_FALSE(read_text_cubin(text.substr(0, cut))) << cut;
  }
}

// A file as NVIDIA's assembler made them has machine code alone.
TEST(TextCubin, SaysWhatIsNotThere) {
  const auto message = [](const std::string& text) { return said(read_text_cubin(text)); };
  const std::string head = "architecture {sm_10}\nabiversion {1}\nmodname {cubin}\n";
  EXPECT_EQ(message(head + "code {\n name = k\n lmem = 0\n smem = 28\n reg = 4\n bar = 0\n bincode {\n "
                           "0xa0004c05 0x04200780\n }\n}\n"),
            "the text cubin has machine code of a device only; PTX is needed");
  EXPECT_EQ(message(head), "the text cubin has no code");
  const std::string section = head + "consts {\n name = heddle_fatbin\n";
  EXPECT_EQ(message(section + " bytes = many\n"), "text cubin, line 6: 'many' is no number of bytes");
  EXPECT_EQ(message(section + " bytes = 8\n mem {\n 0x00000001\n }\n}"),
            "text cubin, line 9: the section has other than the 8 bytes that it tells");
  EXPECT_EQ(message(section + " bytes = 4\n mem {\n 0x00000001 0x00000002\n }\n}"),
            "text cubin, line 8: the section has other than the 4 bytes that it tells");
  EXPECT_EQ(message(section + " bytes = 4\n mem {\n 0x100000000\n }\n}"),
            "text cubin, line 8: '0x100000000' is no word of 32 bits");
  EXPECT_FALSE(is_text_cubin("architectures {sm_10}"));
  EXPECT_FALSE(is_text_cubin(""));
}

TEST(Embedded, FindsFatBinariesBehindWrappers) {
  const std::string one = file({ptx(75, "one")}), two = file({ptx(75, "two"), ptx(80, "three")});
  const void* const units[] = {one.data(), two.data(), nullptr};
  const Wrapper plain{Wrapper::magic_number, 1, two.data(), nullptr};
  const Wrapper linked{Wrapper::magic_number, 2, one.data(), units};
  EXPECT_EQ(form_of(&plain), Form::wrapper);
  ASSERT_TRUE(images_of(plain).ok());
  EXPECT_EQ(images_of(plain)->front().size(), two.size());
  ASSERT_TRUE(images_of(linked).ok());
  ASSERT_EQ(images_of(linked)->size(), 2U);
  EXPECT_EQ(images_of(linked)->at(1).data(), bytes_of(two).data());
  EXPECT_FALSE(images_of({Wrapper::magic_number, 1, "text", nullptr}).ok());
  EXPECT_FALSE(images_of({Wrapper::magic_number, 1, nullptr, nullptr}).ok());
  EXPECT_FALSE(images_of({Wrapper::magic_number, 3, one.data(), nullptr}).ok());
  EXPECT_FALSE(images_of({0, 1, one.data(), nullptr}).ok());
  const void* const none[] = {nullptr};
  EXPECT_EQ(images_of({Wrapper::magic_number, 2, one.data(), none})->size(), 1U);
}

}  // namespace
}  // namespace heddle::fatbin
