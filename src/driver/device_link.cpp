#include "driver/device_link.h"

#include <algorithm>
#include <deque>
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

// What one text has, and what it takes from others.
struct Symbols {
  std::set<std::string> defined, wanted;
  std::set<std::string> perhaps;  // functions with names of C, which may be provided
};

Symbols symbols_of(const std::string& object, std::string text) {
  Diagnostics ignored;  // ptxas has looked at it
  const ptx::Module module = ptx::parse(std::make_shared<const SourceText>(object, std::move(text)), ignored);
  const auto name_of = [&](NameId id) { return std::string(module.names->text(id)); };
  Symbols symbols;
  for (const ptx::Function& function : module.functions) {
    std::string name = name_of(function.name);
    auto& names = function.has_body        ? symbols.defined
                  : name.starts_with("_Z") ? symbols.wanted
                                           : symbols.perhaps;
    names.insert(std::move(name));
  }
  for (const ptx::Variable& variable : module.variables) {
    if (variable.name == no_name) continue;
    const bool here = variable.linkage != ptx::Linkage::extern_ || variable.space == ptx::StateSpace::shared;
    (here ? symbols.defined : symbols.wanted).insert(name_of(variable.name));
  }
  for (const ptx::Alias& alias : module.aliases) symbols.defined.insert(name_of(alias.name));
  return symbols;
}

// Nobody may want the member.
bool is_of_archive(const std::string& object) { return object.ends_with(')'); }

void add(const std::string& object, std::string text, Names& names) {
  Symbols symbols = symbols_of(object, std::move(text));
  if (!is_of_archive(object))
    for (const std::string& name : symbols.wanted)
      if (!symbols.defined.contains(name)) names.wanted.emplace_back(name, object);
  names.defined.merge(symbols.defined);
}

// Calls `use` with the entries of every fat binary with relocatable code.
template <class Use>
void each_relocatable(const elf::ObjectFile& object, Use use) {
  for (const elf::ObjectSection& section : object.sections) {
    if (section.name != relocatable_section) continue;
    for (const std::string_view fat : elf::fat_binaries_in(section.bytes))
      if (const auto entries = fatbin::read(std::as_bytes(std::span(fat)))) use(*entries);
  }
}

struct Part {
  std::string object, text;
  Symbols symbols;
  bool taken = false;
};

// Members of archives that have what is missing, and then what those lack.
void take_members(std::vector<Part>& parts) {
  std::set<std::string> defined, wanted;
  const auto take = [&](Part& part) {
    part.taken = true;
    defined.insert(part.symbols.defined.begin(), part.symbols.defined.end());
    wanted.insert(part.symbols.wanted.begin(), part.symbols.wanted.end());
    wanted.insert(part.symbols.perhaps.begin(), part.symbols.perhaps.end());
  };
  for (Part& part : parts)
    if (!is_of_archive(part.object)) take(part);
  for (bool more = true; more;) {
    more = false;
    for (Part& part : parts) {
      if (part.taken) continue;
      const auto& has = part.symbols.defined;
      if (std::ranges::none_of(
              has, [&](const auto& name) { return wanted.contains(name) && !defined.contains(name); }))
        continue;
      take(part);
      more = true;
    }
  }
}

}  // namespace

std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects) {
  std::map<std::string, Names> by_arch;
  unsigned relocatable = 0;
  for (const elf::ObjectFile& object : objects) {
    std::map<std::string, std::vector<std::string>> texts;
    each_relocatable(object, [&](const std::vector<fatbin::Entry>& entries) {
      for (const fatbin::Entry& entry : entries) {
        if (entry.kind != fatbin::Kind::ptx) continue;
        if (auto text = fatbin::contents(entry))
          texts[fatbin::real_name(entry.arch)].push_back(std::move(*text));
      }
    });
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

Result<std::string> linked_image(const std::vector<elf::ObjectFile>& objects,
                                 const std::vector<ArchName>& architectures) {
  std::deque<Part> kept;  // which the entries are views of
  std::vector<fatbin::NewEntry> entries;
  for (const ArchName& arch : architectures) {
    std::vector<Part> parts;
    std::string failure;
    for (const elf::ObjectFile& object : objects) {
      each_relocatable(object, [&](const std::vector<fatbin::Entry>& all) {
        const auto chosen = fatbin::choose_ptx(all, arch.number);
        const Result<std::string> text =
            chosen ? fatbin::contents(**chosen) : Result<std::string>(chosen.error());
        if (text)
          parts.push_back({object.name, *text, symbols_of(object.name, *text)});
        else if (failure.empty())
          failure = "'" + object.name + "' has no code for " + spelled(arch) + ": " + text.error().message;
      });
    }
    if (!failure.empty()) return Error{failure};
    take_members(parts);
    for (Part& part : parts) {
      if (!part.taken) continue;
      fatbin::NewEntry entry;
      entry.arch = in_fat_binary(arch);
      entry.content = kept.emplace_back(std::move(part)).text;
      entries.push_back(entry);
    }
  }
  if (entries.empty()) return Error{"there is no relocatable device code (-dc) to link"};
  return fatbin::write(entries);
}

}  // namespace heddle::driver
