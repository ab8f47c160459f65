// What the tests of this room share: parsing a text, and its complaints in short.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ptx/parse.h"

namespace heddle::ptx::testing {

struct Parsed {
  Module module;
  std::vector<std::string> errors;  // "line:column message"
  std::string rendered;
};

inline Parsed parse_text(std::string text, std::size_t limit = 100) {
  auto source = std::make_shared<const SourceText>("t.ptx", std::move(text));
  Diagnostics diagnostics(limit);
  Parsed out{parse(source, diagnostics), {}, diagnostics.render(*source)};
  for (const Diagnostic& d : diagnostics.all()) {
    const LineColumn at = source->locate(d.span.begin);
    out.errors.push_back(std::to_string(at.line) + ':' + std::to_string(at.column) + ' ' + d.message);
  }
  return out;
}

inline const char* header() { return ".version 8.0\n.target sm_90a\n.address_size 64\n"; }

// Errors are counted in lines from behind the header.
inline Parsed parse_module(const std::string& text) {
  return parse_text(".version 9.0 .target sm_90a .address_size 64 " + text);
}

// The statements of a kernel's body.
inline Parsed parse_body(const std::string& text) {
  return parse_text(".version 9.0 .target sm_90a .address_size 64 .entry k() {\n" + text + "\n}\n");
}

// Parses without errors, and what is printed says the same, in the same words when it is printed again.
inline void expect_round_trip(const std::string& text, const std::string& name = {}) {
  const Parsed first = parse_text(text);
  ASSERT_TRUE(first.errors.empty()) << name << '\n' << first.rendered;
  const std::string printed = print(first.module);
  const Parsed second = parse_text(printed);
  ASSERT_TRUE(second.errors.empty()) << name << '\n' << second.rendered;
  EXPECT_TRUE(equal(first.module, second.module)) << name << '\n' << printed;
  EXPECT_EQ(print(second.module), printed) << name;
}

}  // namespace heddle::ptx::testing
