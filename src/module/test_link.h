// For tests: PTX text to image in one call.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::module {

struct Linked {
  std::unique_ptr<Image> image;  // null after errors
  std::vector<std::string> messages;
  std::string all_messages() const {
    std::string text;
    for (const std::string& message : messages) text += message + "\n";
    return text;
  }
};

inline constexpr const char* test_header = ".version 8.3\n.target sm_90\n.address_size 64\n";

// What the verifier refuses never comes here in earnest; linking must not depend on it.
enum class Reading { verified, parsed_only };

// The units are called a.ptx, b.ptx and so on. Without a .version of its own a unit gets test_header.
inline Linked link_units(const std::vector<std::string>& texts, const LinkOptions& options = {},
                         Reading reading = Reading::verified) {
  std::vector<ptx::Module> modules;
  Linked result;
  for (const std::string& text : texts) {
    const std::string name = std::string(1, static_cast<char>('a' + modules.size())) + ".ptx";
    const bool whole = text.find(".version") != std::string::npos;
    const auto source = std::make_shared<const SourceText>(name, (whole ? "" : test_header) + text);
    Diagnostics diagnostics;
    modules.push_back(reading == Reading::verified ? ptx::read(source, diagnostics)
                                                   : ptx::parse(source, diagnostics));
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
    if (diagnostics.has_errors()) return result;
  }
  std::vector<const ptx::Module*> pointers;
  for (const ptx::Module& module : modules) pointers.push_back(&module);
  auto linked = link(pointers, options);
  if (linked)
    result.image = std::move(linked.value());
  else
    result.messages = linked.error().messages;
  return result;
}

// One unit that links; the test fails when it does not.
inline std::unique_ptr<Image> link_text(const std::string& text) {
  Linked linked = link_units({text});
  EXPECT_NE(linked.image, nullptr) << linked.all_messages();
  return linked.image != nullptr ? std::move(linked.image) : std::make_unique<Image>();
}

}  // namespace heddle::module
