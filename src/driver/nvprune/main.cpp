#include <algorithm>
#include <iostream>
#include <span>

#include "driver/file.h"
#include "driver/message.h"
#include "driver/options.gen.h"
#include "driver/program.h"
#include "elf/rewrite.h"
#include "fatbin/words.h"

namespace heddle::driver::nvprune {
namespace {

constexpr std::string_view plain_section = ".nv_fatbin", relocatable_section = "__nv_relfatbin";

const ProgramFacts program{.options = options,
                           .what = "prune object or library to one architecture",
                           .usage = "Usage  : nvprune [options] <object>\n",
                           .one_file = true};

int complain(const std::string& text) { return driver::complain(program, text); }

// What stays, by the names of --arch and code=: "sm_80", "compute_90a".
struct Wanted {
  std::vector<std::string> names;
  bool possible = false, strict = false, no_relocatable_code = false;
};

// "arch=compute_80,code=[sm_80,compute_80]": the values of code.
Result<std::vector<std::string>> codes_of(const std::string& text) {
  std::vector<std::string> codes;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    const std::string item = text.substr(begin, i - begin);
    begin = i + 1;
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    if (equals == item.npos || (key != "arch" && key != "code"))
      return Error{"'" + item + "' is not in 'keyword=value' format"};
    if (key != "code") continue;
    std::string values = item.substr(equals + 1);
    if (values.starts_with('[')) values.erase(0, 1);
    if (values.ends_with(']')) values.pop_back();
    for (std::size_t place = 0; place <= values.size();) {
      const std::size_t comma = std::min(values.find(',', place), values.size());
      if (comma > place) codes.push_back(values.substr(place, comma - place));
      place = comma + 1;
    }
  }
  return codes;
}

struct Target {
  bool real = false;
  fatbin::Arch arch;
};

// What is no architecture keeps nothing.
std::optional<Target> target_of(std::string_view name) {
  const bool real = name.starts_with("sm_");
  if (!real && !name.starts_with("compute_")) return std::nullopt;
  const auto arch = fatbin::parse_arch(name.substr(real ? 3 : 8));
  return arch ? std::optional(Target{real, *arch}) : std::nullopt;
}

// What our ptxas makes for sm_80 is PTX that is marked for it: it counts as machine code where there is none.
bool stands_for_code(const fatbin::Entry& entry, const std::vector<fatbin::Entry>& all) {
  return entry.kind == fatbin::Kind::ptx && std::ranges::none_of(all, [&](const fatbin::Entry& other) {
           return other.kind == fatbin::Kind::elf && other.arch == entry.arch;
         });
}

bool matches(const fatbin::Entry& entry, const Target& target, const Wanted& wanted, bool relocatable,
             const std::vector<fatbin::Entry>& all) {
  using Reach = fatbin::Arch::Reach;
  const bool ptx = entry.kind == fatbin::Kind::ptx;
  const bool same =
      entry.arch == target.arch || (!wanted.strict && target.arch.reach != Reach::portable &&
                                    entry.arch == fatbin::Arch{target.arch.number, Reach::portable});
  if (!target.real) return ptx && same;
  if (wanted.possible && ptx && fatbin::runs_on(entry.arch, target.arch.number)) return true;
  if (relocatable && wanted.no_relocatable_code) return false;
  if (ptx) return same && stands_for_code(entry, all);
  const bool earlier = entry.arch.number / 10 == target.arch.number / 10 &&
                       entry.arch.number <= target.arch.number && entry.arch.reach == Reach::portable;
  return same || (wanted.possible && earlier);
}

class Pruner {
 public:
  Pruner(Wanted wanted, bool verbose) : wanted_(std::move(wanted)), verbose_(verbose) {
    for (const std::string& name : wanted_.names)
      if (const auto target = target_of(name)) targets_.push_back(*target);
  }

  Result<std::string> run(const std::string& path, std::string_view bytes) {
    const auto replace = [&](const std::string& object, const elf::ObjectSection& section) {
      return prune(object, section);
    };
    auto pruned = elf::rewrite(path, bytes, replace);
    if (!failure_.empty()) return Error{failure_};
    return pruned;
  }
  bool kept_any() const { return kept_any_; }

 private:
  std::optional<elf::NewContent> prune(const std::string& object, const elf::ObjectSection& section) {
    name(object);
    const bool relocatable = section.name == relocatable_section;
    if (!failure_.empty() || (!relocatable && section.name != plain_section)) return std::nullopt;
    elf::NewContent content;
    for (const std::string_view fat : elf::fat_binaries_in(section.bytes)) {
      content.moves.push_back(
          {static_cast<uint64_t>(fat.data() - section.bytes.data()), content.bytes.size()});
      Result<std::string> pruned = prune(fat, relocatable);
      if (!pruned) {
        failure_ = "'" + object + "': " + pruned.error().message;
        return std::nullopt;
      }
      content.bytes += *pruned;
      content.bytes.resize((content.bytes.size() + 7) / 8 * 8);
    }
    return content;
  }

  Result<std::string> prune(std::string_view fat, bool relocatable) {
    const auto entries = fatbin::read(std::as_bytes(std::span(fat)));
    if (!entries) return entries.error();
    std::vector<std::string> contents;
    std::vector<fatbin::NewEntry> kept;
    contents.reserve(entries->size());
    for (const fatbin::Entry& entry : *entries) {
      if (std::ranges::none_of(targets_, [&](const Target& target) {
            return matches(entry, target, wanted_, relocatable, *entries);
          }))
        continue;
      Result<std::string> content = fatbin::contents(entry);
      if (!content) return content.error();
      kept.push_back({entry.kind, entry.arch, entry.version_major, entry.version_minor, entry.debug,
                      entry.wide, entry.host, entry.compression, std::string(entry.source_name),
                      std::string(entry.options), contents.emplace_back(std::move(*content))});
    }
    kept_any_ |= !kept.empty();
    return fatbin::write(kept);
  }

  // "prune l.a:r.o", before an object's first section.
  void name(const std::string& object) {
    if (!verbose_ || object == last_) return;
    last_ = object;
    std::string shown = object;
    if (const std::size_t open = shown.rfind('('); open != shown.npos && shown.ends_with(')')) {
      shown.pop_back();
      shown[open] = ':';
    }
    std::cout << "prune " << shown << '\n';
  }

  const Wanted wanted_;
  const bool verbose_;
  std::vector<Target> targets_;
  bool kept_any_ = false;
  std::string failure_, last_;
};

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  Wanted wanted;
  wanted.possible = line->has(Opt::include_possible_codes);
  wanted.strict = line->has(Opt::strict);
  wanted.no_relocatable_code = line->has(Opt::no_relocatable_elf);
  if (wanted.possible && wanted.strict)
    return complain("cannot specify both --strict and --include-possible-codes");
  for (const std::string& text : line->values(Opt::generate_code)) {
    const auto codes = codes_of(text);
    if (!codes) return complain(codes.error().message);
    wanted.names.insert(wanted.names.end(), codes->begin(), codes->end());
  }
  const auto arch = line->value(Opt::arch);
  if (arch.has_value() != wanted.names.empty()) return complain("Either -arch or -gencode must be specified");
  if (arch) wanted.names.push_back(*arch);
  const auto output = line->value(Opt::output_file);
  if (!output) return complain("Must specify output file with -o option");
  const std::string& path = line->inputs()[0];
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return complain("Could not open input file '" + path + "'");
  if (elf::is_elf(*bytes) && !elf::is_relocatable(*bytes))
    return complain("Input file '" + path + "' not relocatable");
  Pruner pruner(std::move(wanted), line->has(Opt::verbose));
  const Result<std::string> pruned = pruner.run(path, *bytes);
  if (!pruned) return complain(pruned.error().message);
  if (!pruner.kept_any()) {
    if (line->has(Opt::verbose)) std::cout << "no device code found that matched arch\n";
    std::cout.flush();
    std::cerr << message("nvprune", Weight::warning,
                         "No device code that matched architecture, so stripped out all device code");
  }
  if (const auto written = write_file(*output, *pruned); !written)
    return complain("Could not open output file '" + *output + "'");
  return 0;
}

}  // namespace
}  // namespace heddle::driver::nvprune

// What bin/nvprune calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_nvprune(int argc, char** argv) {
  return heddle::driver::nvprune::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
