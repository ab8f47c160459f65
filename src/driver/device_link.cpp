#include "driver/device_link.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "driver/assemble.h"
#include "fatbin/fatbin.h"
#include "module/link.h"
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
  std::vector<std::string> only;  // defined, and nobody else may
};

Symbols symbols_of(const std::string& object, std::string text) {
  Diagnostics ignored;  // ptxas has looked at it
  const ptx::Module module = ptx::parse(std::make_shared<const SourceText>(object, std::move(text)), ignored);
  const auto name_of = [&](NameId id) { return std::string(module.names->text(id)); };
  Symbols symbols;
  for (const ptx::Function& function : module.functions) {
    std::string name = name_of(function.name);
    if (function.has_body && function.linkage == ptx::Linkage::visible) symbols.only.push_back(name);
    auto& names = function.has_body        ? symbols.defined
                  : name.starts_with("_Z") ? symbols.wanted
                                           : symbols.perhaps;
    names.insert(std::move(name));
  }
  for (const ptx::Variable& variable : module.variables) {
    if (variable.name == no_name) continue;
    if (variable.linkage == ptx::Linkage::visible) symbols.only.push_back(name_of(variable.name));
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
  std::string options = {};
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

// Calls `use` with the texts of each object, by the name of their architecture. Returns how many objects have
// some.
template <class Use>
unsigned each_text(const std::vector<elf::ObjectFile>& objects, Use use) {
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
    for (auto& [arch, all] : texts) use(object, arch, all);
  }
  return relocatable;
}

void add_shared_problems(const std::vector<Part>& parts, const ArchName& arch,
                         std::vector<std::string>& problems) {
  std::deque<ptx::Module> modules;
  std::vector<const ptx::Module*> linked;
  for (const Part& part : parts) {
    if (!part.taken) continue;
    Diagnostics diagnostics;
    const auto source = std::make_shared<const SourceText>(part.object, part.text);
    linked.push_back(&modules.emplace_back(ptx::read(source, diagnostics)));
    if (diagnostics.has_errors()) return;  // ptxas has told them
  }
  module::LinkOptions options;
  options.allow_undefined_variables = true;
  const auto image = module::link(linked, options);
  if (!image) return;  // told where it is loaded
  for (const module::Function& function : (*image)->functions) {
    if (!function.entry || !function.defined) continue;
    if (auto problem = too_much_shared(function.name, function.static_shared_bytes, arch))
      if (std::ranges::find(problems, *problem) == problems.end()) problems.push_back(std::move(*problem));
  }
}

}  // namespace

std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects) {
  std::map<std::string, Names> by_arch;
  const unsigned relocatable = each_text(objects, [&](const auto& object, const auto& arch, auto& texts) {
    Names& names = by_arch[arch];
    ++names.objects;
    for (std::string& text : texts) add(object.name, std::move(text), names);
  });
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

std::vector<std::string> shared_memory_problems(const std::vector<elf::ObjectFile>& objects) {
  struct Program {
    std::vector<Part> parts;
    unsigned objects = 0;
    bool shares = false;
  };
  std::map<std::string, Program> by_arch;
  const unsigned relocatable = each_text(objects, [&](const auto& object, const auto& arch, auto& texts) {
    Program& program = by_arch[arch];
    ++program.objects;
    for (std::string& text : texts) {
      program.shares |= text.find(".shared ") != std::string::npos;
      program.parts.push_back({object.name, std::move(text), {}});
    }
  });
  std::vector<std::string> problems;
  for (auto& [name, program] : by_arch) {
    const std::optional<ArchName> arch = parse_arch(name);
    // Most programs are not read again.
    if (!program.shares || program.objects != relocatable || !arch) continue;
    for (Part& part : program.parts) part.symbols = symbols_of(part.object, part.text);
    take_members(program.parts);
    add_shared_problems(program.parts, *arch, problems);
  }
  return problems;
}

namespace {

Result<std::vector<Part>> parts_for(const std::vector<elf::ObjectFile>& objects, const ArchName& arch) {
  std::vector<Part> parts;
  std::string failure;
  for (const elf::ObjectFile& object : objects) {
    each_relocatable(object, [&](const std::vector<fatbin::Entry>& all) {
      const auto chosen = fatbin::choose_ptx(all, arch.number);
      const Result<std::string> text =
          chosen ? fatbin::contents(**chosen) : Result<std::string>(chosen.error());
      if (text)
        parts.push_back(
            {object.name, *text, symbols_of(object.name, *text), false, std::string((*chosen)->options)});
      else if (failure.empty())
        failure = "'" + object.name + "' has no code for " + spelled(arch) + ": " + text.error().message;
    });
  }
  if (!failure.empty()) return Error{failure};
  take_members(parts);
  std::erase_if(parts, [](const Part& part) { return !part.taken; });
  return parts;
}

}  // namespace

bool has_relocatable_code(const elf::ObjectFile& object) {
  bool any = false;
  each_relocatable(object, [&](const std::vector<fatbin::Entry>& entries) { any |= !entries.empty(); });
  return any;
}

bool has_relocatable_code(const elf::ObjectFile& object, const ArchName& architecture) {
  bool any = false;
  each_relocatable(object, [&](const std::vector<fatbin::Entry>& entries) {
    any |= fatbin::choose_ptx(entries, architecture.number).ok();
  });
  return any;
}

Result<LinkProblems> link_problems(const std::vector<elf::ObjectFile>& objects,
                                   const ArchName& architecture) {
  const auto parts = parts_for(objects, architecture);
  if (!parts) return parts.error();
  LinkProblems problems;
  std::map<std::string, std::string> first;  // who defined a name
  std::set<std::string> defined, told;
  for (const Part& part : *parts) {
    defined.insert(part.symbols.defined.begin(), part.symbols.defined.end());
    for (const std::string& name : part.symbols.only)
      if (const auto [found, is_new] = first.emplace(name, part.object); !is_new)
        problems.multiple.push_back("Multiple definition of '" + name + "' in '" + part.object +
                                    "', first defined in '" + found->second + "'");
  }
  for (const Part& part : *parts)
    for (const std::string& name : part.symbols.wanted)
      if (!defined.contains(name) && told.insert(name).second)
        problems.undefined.push_back("Undefined reference to '" + name + "' in '" + part.object + "'");
  return problems;
}

Result<std::vector<LinkedText>> linked_texts(const std::vector<elf::ObjectFile>& objects,
                                             const ArchName& architecture) {
  auto parts = parts_for(objects, architecture);
  if (!parts) return parts.error();
  std::vector<LinkedText> texts;
  for (Part& part : *parts) texts.push_back({std::move(part.object), std::move(part.text)});
  return texts;
}

Result<std::string> linked_image(const std::vector<elf::ObjectFile>& objects,
                                 const std::vector<ArchName>& architectures) {
  std::deque<Part> kept;  // which the entries are views of
  std::vector<fatbin::NewEntry> entries;
  for (const ArchName& arch : architectures) {
    auto parts = parts_for(objects, arch);
    if (!parts) return parts.error();
    for (Part& part : *parts) {
      fatbin::NewEntry entry;
      entry.arch = in_fat_binary(arch);
      entry.options = part.options;
      entry.content = kept.emplace_back(std::move(part)).text;
      entries.push_back(entry);
    }
  }
  if (entries.empty()) return Error{"there is no relocatable device code (-dc) to link"};
  return fatbin::write(entries);
}

}  // namespace heddle::driver
