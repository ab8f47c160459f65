// Debug information: .file, .loc, .section and the old @@DWARF lines (PTX ISA 11.5). None of it ends with a
// ';', and its numbers are plain, so that `.loc 1 5 0` is three of them.
#include "ptx/parser.h"

namespace heddle::ptx {

namespace {

constexpr const char* kFileRule = "PTX ISA 11.5.4 .file";
constexpr const char* kLocRule = "PTX ISA 11.5.5 .loc";
constexpr const char* kSectionRule = "PTX ISA 11.5.2 .section";
constexpr const char* kDwarfRule = "PTX ISA 11.5.1 @@dwarf";

struct Width {
  std::string_view directive;
  SectionItem::Kind kind;
  unsigned bits;
};
constexpr Width kWidths[] = {
    {".b8", SectionItem::Kind::b8, 8},
    {".b16", SectionItem::Kind::b16, 16},
    {".b32", SectionItem::Kind::b32, 32},
    {".b64", SectionItem::Kind::b64, 64},
};
constexpr Width kOldWidths[] = {
    {".byte", SectionItem::Kind::b8, 8},
    {".2byte", SectionItem::Kind::b16, 16},
    {".4byte", SectionItem::Kind::b32, 32},
    {".quad", SectionItem::Kind::b64, 64},
};

}  // namespace

bool Parser::read_plain_integer(uint64_t& out, std::string_view what, uint64_t limit) {
  if (!in_.at(Tok::integer)) return in_.unexpected(what);
  const Token token = in_.token();
  in_.advance();
  out = token.value;
  if (token.value <= limit) return true;
  return in_.fail(token.span(), std::string(what) + " is " + std::to_string(token.value) +
                                    ", the largest possible is " + std::to_string(limit));
}

// .file index "name" [, timestamp [, size]]
bool Parser::read_file() {
  in_.advance();
  FileEntry file;
  uint64_t index = 0;
  if (!read_plain_integer(index, "the number of a file", UINT32_MAX)) return false;
  file.index = static_cast<uint32_t>(index);
  if (!in_.at(Tok::string)) return in_.unexpected("the name of a file", kFileRule);
  file.path = in_.text();
  in_.advance();
  if (in_.accept(Tok::comma)) {
    if (!read_plain_integer(file.timestamp, "a time", UINT64_MAX)) return false;
    if (in_.accept(Tok::comma) && !read_plain_integer(file.size, "the size of a file", UINT64_MAX))
      return false;
  }
  add(TopLevel::Kind::file, module_.files.size());
  module_.files.push_back(std::move(file));
  return true;
}

// .loc file line column [, function_name label [+ offset], inlined_at file line column]
bool Parser::read_location(Function& function) {
  const uint32_t offset = in_.token().begin;
  const auto place = [&](uint32_t& file, uint32_t& line, uint32_t& column) {
    uint64_t values[3] = {};
    if (!read_plain_integer(values[0], "the number of a file", UINT32_MAX)) return false;
    if (!read_plain_integer(values[1], "a line", UINT32_MAX)) return false;
    if (!read_plain_integer(values[2], "a column", UINT32_MAX)) return false;
    file = static_cast<uint32_t>(values[0]);
    line = static_cast<uint32_t>(values[1]);
    column = static_cast<uint32_t>(values[2]);
    return true;
  };
  in_.advance();
  Location location;
  if (!place(location.file, location.line, location.column)) return false;
  if (in_.accept(Tok::comma)) {
    if (!in_.at(Tok::name) || in_.text() != "function_name") return in_.unexpected("function_name", kLocRule);
    in_.advance();
    // A label, or since clang 20 the section that holds the text.
    if (!in_.at(Tok::name) && !in_.at(Tok::directive))
      return in_.unexpected("a label of a section", kLocRule);
    location.function_name = intern(in_.token());
    in_.advance();
    if (in_.accept(Tok::plus) && !read_plain_integer(location.function_offset, "an offset", INT64_MAX))
      return false;
    if (!in_.expect(Tok::comma, "before inlined_at", kLocRule)) return false;
    if (!in_.at(Tok::name) || in_.text() != "inlined_at") return in_.unexpected("inlined_at", kLocRule);
    in_.advance();
    location.inlined = true;
    if (!place(location.at_file, location.at_line, location.at_column)) return false;
  }
  Statement statement{.kind = StatementKind::location};
  statement.index = static_cast<uint32_t>(function.locations.size());
  statement.offset = offset;
  function.locations.push_back(location);
  statements_.push_back(statement);
  return true;
}

// A number, label, label+number, label-label; a label may be the name of a section.
bool Parser::read_section_value(Section& section, unsigned bits) {
  SectionValue value;
  const auto number = [&](std::string_view what) {
    const Token token = in_.token();
    const bool minus = in_.accept(Tok::minus);
    if (!read_plain_integer(value.number, what, UINT64_MAX)) return false;
    const uint64_t highest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    const uint64_t limit = minus ? uint64_t{1} << (bits - 1) : highest;
    if (value.number > limit) {
      return in_.fail({token.begin, in_.last_end()},
                      "this number does not fit in " + std::to_string(bits) + " bits", kSectionRule);
    }
    if (minus) value.number = (0 - value.number) & highest;
    return true;
  };
  if (in_.at(Tok::name) || in_.at(Tok::directive)) {
    Token name = in_.token();
    if (in_.at(Tok::directive)) in_.lexer().section_name(name);
    value.symbol = intern(name);
    in_.advance();
    if (in_.accept(Tok::plus)) {
      if (!number("an offset")) return false;
    } else if (in_.accept(Tok::minus)) {
      const std::optional<Token> minus = read_name("a label", kSectionRule);
      if (!minus) return false;
      value.minus = intern(*minus);
    }
  } else if (!number("a number or a label")) {
    return false;
  }
  section.values.push_back(value);
  return true;
}

// .section .debug_info { .b32 1, 2  label: .b8 3 }
bool Parser::read_section() {
  in_.advance();
  if (!in_.at(Tok::directive))
    return in_.unexpected("the name of a section, which begins with a dot", kSectionRule);
  Token name = in_.token();
  in_.lexer().section_name(name);
  Section section;
  section.name = in_.text(name);
  in_.advance();
  if (!in_.expect(Tok::left_brace, "behind the name of a section", kSectionRule)) return false;
  while (!in_.accept(Tok::right_brace)) {
    SectionItem item;
    if (in_.at(Tok::name)) {
      item.label = intern(in_.token());
      in_.advance();
      if (!in_.expect(Tok::colon, "behind a label", kSectionRule)) return false;
      section.items.push_back(item);
      continue;
    }
    const Width* width = nullptr;
    for (const Width& candidate : kWidths) {
      if (in_.at_directive(candidate.directive)) width = &candidate;
    }
    if (width == nullptr) return in_.unexpected(".b8, .b16, .b32, .b64, a label or '}'", kSectionRule);
    in_.advance();
    item.kind = width->kind;
    item.first = static_cast<uint32_t>(section.values.size());
    do {
      if (!read_section_value(section, width->bits)) return false;
    } while (in_.accept(Tok::comma));
    item.count = static_cast<uint32_t>(section.values.size()) - item.first;
    section.items.push_back(item);
  }
  section.items.shrink_to_fit();
  section.values.shrink_to_fit();
  add(TopLevel::Kind::section, module_.sections.size());
  module_.sections.push_back(std::move(section));
  return true;
}

// Lines of assembler behind @@DWARF, before PTX 2.0: .section .debug_info, "", @progbits, then .byte, .4byte,
// .quad and labels until the next section.
bool Parser::read_old_debug() {
  in_.advance();
  if (!in_.at(Tok::name) || in_.text() != "DWARF") return in_.unexpected("DWARF behind @@", kDwarfRule);
  in_.advance();
  const bool continues = !module_.order.empty() && module_.order.back().kind == TopLevel::Kind::section &&
                         module_.sections.back().old_style;
  if (in_.at_directive(".section")) {
    in_.advance();
    Section section;
    section.old_style = true;
    if (!in_.at(Tok::directive))
      return in_.unexpected("the name of a section, which begins with a dot", kDwarfRule);
    Token name = in_.token();
    in_.lexer().section_name(name);
    section.name = in_.text(name);
    in_.advance();
    if (in_.accept(Tok::comma)) {
      if (!in_.at(Tok::string)) return in_.unexpected("the flags of a section", kDwarfRule);
      section.attributes = '"' + std::string(in_.text()) + '"';
      in_.advance();
      if (in_.accept(Tok::comma)) {
        if (!in_.expect(Tok::at, "before the type of a section", kDwarfRule)) return false;
        if (!in_.at(Tok::name)) return in_.unexpected("the type of a section", kDwarfRule);
        section.attributes += ", @" + std::string(in_.text());
        in_.advance();
      }
    }
    add(TopLevel::Kind::section, module_.sections.size());
    module_.sections.push_back(std::move(section));
    return true;
  }
  if (!continues) {
    return in_.unexpected(".section, since no section is open", kDwarfRule);
  }
  Section& section = module_.sections.back();
  SectionItem item;
  if (in_.at(Tok::name)) {
    item.label = intern(in_.token());
    in_.advance();
    section.items.push_back(item);
    return in_.expect(Tok::colon, "behind a label", kDwarfRule);
  }
  const Width* width = nullptr;
  for (const Width& candidate : kOldWidths) {
    if (in_.at_directive(candidate.directive)) width = &candidate;
  }
  if (width == nullptr)
    return in_.unexpected(".byte, .2byte, .4byte, .quad, a label or .section", kDwarfRule);
  in_.advance();
  item.kind = width->kind;
  item.first = static_cast<uint32_t>(section.values.size());
  do {
    if (!read_section_value(section, width->bits)) return false;
  } while (in_.accept(Tok::comma));
  item.count = static_cast<uint32_t>(section.values.size()) - item.first;
  section.items.push_back(item);
  return true;
}

}  // namespace heddle::ptx
