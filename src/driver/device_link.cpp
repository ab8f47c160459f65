#include "driver/device_link.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "fatbin/fatbin.h"
#include "ptx/parse.h"
#include "support/interner.h"

namespace heddle::driver {

namespace {

constexpr std::string_view relocatable_section = "__nv_relfatbin";

struct Names {
  std::set<std::string> defined;
  std::vector<std::pair<std::string, std::string>> wanted;  // and the object that wants it
  unsigned objects = 0;                                     // that have code for the architecture
};

void add(const std::string& object, std::string text, Names& names) {
  Diagnostics ignored;  // ptxas has looked at it
  const ptx::Module module = ptx::parse(std::make_shared<const SourceText>(object, std::move(text)), ignored);
  const auto name_of = [&](NameId id) { return std::string(module.names->text(id)); };
  const bool of_archive = object.ends_with(')');  // nobody may want the member
  std::set<std::string> here;
  const auto note = [&](const std::string& name, bool defined) {
    if (defined)
      names.defined.insert(name);
    else if (!of_archive && here.insert(name).second)
      names.wanted.emplace_back(name, object);
  };
  for (const ptx::Function& function : module.functions) {
    const std::string name = name_of(function.name);
    if (function.has_body || name.starts_with("_Z")) note(name, function.has_body);
  }
  for (const ptx::Variable& variable : module.variables)
    if (variable.name != no_name)
      note(name_of(variable.name),
           variable.linkage != ptx::Linkage::extern_ || variable.space == ptx::StateSpace::shared);
  for (const ptx::Alias& alias : module.aliases) names.defined.insert(name_of(alias.name));
}

}  // namespace

std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects) {
  std::map<std::string, Names> by_arch;
  unsigned relocatable = 0;
  for (const elf::ObjectFile& object : objects) {
    std::map<std::string, std::vector<std::string>> texts;
    for (const elf::ObjectSection& section : object.sections) {
      if (section.name != relocatable_section) continue;
      for (const std::string_view fat : elf::fat_binaries_in(section.bytes)) {
        const auto entries = fatbin::read(std::as_bytes(std::span(fat)));
        if (!entries) continue;
        for (const fatbin::Entry& entry : *entries) {
          if (entry.kind != fatbin::Kind::ptx) continue;
          if (auto text = fatbin::contents(entry))
            texts[fatbin::real_name(entry.arch)].push_back(std::move(*text));
        }
      }
    }
    relocatable += texts.empty() ? 0 : 1;
    for (auto& [arch, all] : texts) {
      Names& names = by_arch[arch];
      ++names.objects;
      for (std::string& text : all) add(object.name, std::move(text), names);
    }
  }
  std::vector<std::string> messages;
  for (const auto& [arch, names] : by_arch) {
    if (names.objects != relocatable) continue;
    for (const auto& [name, object] : names.wanted) {
      if (names.defined.contains(name)) continue;
      std::string message = "Undefined reference to '" + name + "' in '" + object + "'";
      if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
    }
  }
  return messages;
}

}  // namespace heddle::driver
