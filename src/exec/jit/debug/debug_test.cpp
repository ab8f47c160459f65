// The files are read back by other readers: LLVM's of ELF and DWARF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "exec/jit/debug/announce.h"
#include "exec/jit/debug/perf.h"
#include "exec/jit/debug/symbol_file.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

namespace heddle::exec::jit::debug {
namespace {

constexpr char code[0x400] = {1, 2, 3};
const auto base = reinterpret_cast<uintptr_t>(code);

CodeLines some_lines() {
  return {.begin = base,
          .end = base + 0x400,
          .functions = {{"_Z3addPf", base, 0x300}, {"_Z3addPf.slow.0", base + 0x300, 0x100}},
          .files = {"/src/add.cu", "inc/helper.h"},
          .rows = {{base, 0, 12}, {base + 0x10, 1, 70000}, {base + 0x200, 0, 0}, {base + 0x300, 0, 3}}};
}

struct Line {
  std::string file;
  uint32_t line = 0;
  bool operator==(const Line&) const = default;
};

TEST(SymbolFile, HasTheLinesOfEachAddress) {
  const std::string bytes = symbol_file(some_lines());
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "symbols"));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  std::string complaints;
  const auto complain = [&](llvm::Error error) { complaints += llvm::toString(std::move(error)); };
  const auto dwarf = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Process,
                                                nullptr, "", complain, complain);
  ASSERT_EQ(dwarf->getNumCompileUnits(), 1u);
  const auto* table = dwarf->getLineTableForUnit(dwarf->compile_units().begin()->get());
  ASSERT_NE(table, nullptr);
  const auto at = [&](uint64_t offset) -> Line {
    const uint32_t index =
        table->lookupAddress({base + offset, llvm::object::SectionedAddress::UndefSection});
    if (index == table->UnknownRowIndex) return {};
    const auto& row = table->Rows[index];
    std::string name;
    if (!table->getFileNameByIndex(row.File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, name))
      return {};
    return {name, row.Line};
  };
  EXPECT_EQ(at(0), (Line{"/src/add.cu", 12}));
  EXPECT_EQ(at(0xf), (Line{"/src/add.cu", 12}));
  EXPECT_EQ(at(0x10), (Line{"inc/helper.h", 70000}));
  EXPECT_EQ(at(0x1ff), (Line{"inc/helper.h", 70000}));
  EXPECT_EQ(at(0x200).line, 0u);
  EXPECT_EQ(at(0x3ff), (Line{"/src/add.cu", 3}));
  EXPECT_EQ(at(0x400).line, 0u);
  const auto subprogram = [&](uint64_t offset) {
    const auto dies = dwarf->getDIEsForAddress(base + offset);
    return dies.FunctionDIE ? std::string(dies.FunctionDIE.getLinkageName()) : std::string();
  };
  EXPECT_EQ(subprogram(0x2ff), "_Z3addPf");
  EXPECT_EQ(subprogram(0x300), "_Z3addPf.slow.0");
  EXPECT_EQ(complaints, "");
}

TEST(SymbolFile, HasTheSymbols) {
  const std::string bytes = symbol_file(some_lines());
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "symbols"));
  ASSERT_TRUE(bool(file));
  std::vector<std::pair<std::string, uint64_t>> found;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols())
    found.emplace_back(llvm::cantFail(symbol.getName()).str(), llvm::cantFail(symbol.getAddress()));
  EXPECT_THAT(found,
              ::testing::ElementsAre(std::pair<std::string, uint64_t>{"_Z3addPf", base},
                                     std::pair<std::string, uint64_t>{"_Z3addPf.slow.0", base + 0x300}));
  for (const llvm::object::SectionRef& section : (*file)->sections())
    if (section.isText()) {
      EXPECT_EQ(section.getAddress(), base);
      EXPECT_EQ(section.getSize(), 0x400u);
    }
}

TEST(Perf, MapHasALineForEachFunction) {
  char expected[128];
  std::snprintf(expected, sizeof expected, "%lx 300 _Z3addPf\n%lx 100 _Z3addPf.slow.0\n", base, base + 0x300);
  EXPECT_EQ(perf_map(some_lines()), expected);
}

// As perf reads it: by the sizes in the records.
TEST(Perf, DumpHasLinesBeforeTheCodeTheyAreOf) {
  const std::string header = jitdump_header(77, 5);
  EXPECT_EQ(header.size(), 40u);
  EXPECT_EQ(header.substr(0, 4), "DTiJ");
  const std::string records =
      jitdump_records(some_lines(), {.process = 77, .thread = 78, .time = 9, .index = 4});
  std::vector<uint32_t> kinds;
  std::vector<std::string> bodies;
  for (std::size_t at = 0; at < records.size();) {
    uint32_t kind, size;
    std::memcpy(&kind, &records[at], 4), std::memcpy(&size, &records[at + 4], 4);
    ASSERT_GE(size, 16u);
    ASSERT_LE(at + size, records.size());
    kinds.push_back(kind), bodies.push_back(records.substr(at + 16, size - 16));
    at += size;
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre(2, 0, 2, 0));
  const auto number = [](const std::string& body, std::size_t at) {
    uint64_t value;
    std::memcpy(&value, &body[at], sizeof value);
    return value;
  };
  EXPECT_EQ(number(bodies[0], 0), base);
  EXPECT_EQ(number(bodies[0], 8), 2u);  // rows with a line
  EXPECT_EQ(number(bodies[1], 32), 4u);
  EXPECT_EQ(number(bodies[3], 32), 5u);
  const std::string name("_Z3addPf", 9);
  EXPECT_EQ(bodies[1].substr(40, 9), name);
  EXPECT_EQ(bodies[1].substr(49), std::string(code, 0x300));
}

TEST(Listeners, AreNamed) {
  EXPECT_FALSE(read_listeners("none")->any());
  EXPECT_TRUE(read_listeners("gdb")->gdb);
  EXPECT_FALSE(read_listeners("gdb")->perf);
  EXPECT_TRUE(read_listeners("gdb,perf")->perf);
  for (const char* wrong : {"lldb", "gdb,", ",", "none,gdb", "GDB"})
    EXPECT_FALSE(read_listeners(wrong)) << wrong;
  EXPECT_EQ(read_listeners("gdb,lldb").error(), "'lldb' is none of gdb, perf and none");
}

}  // namespace
}  // namespace heddle::exec::jit::debug
