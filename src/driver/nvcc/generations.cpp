#include "driver/nvcc/generations.h"

#include <algorithm>

namespace heddle::driver::nvcc {

namespace {

// What nvcc 12.9 compiles for when it is not told.
constexpr std::string_view default_arch = "sm_52";
// "all" is what nvcc 12.9 means by it; older architectures, and CUDA 13's name of sm_101, are there for those
// who name them.
bool is_of_all(uint32_t number) { return number >= 50 && number != 110; }

std::string quote(std::string_view text) { return '\'' + std::string(text) + '\''; }

ArchName made(bool real, uint32_t number) { return {real, std::to_string(number), number}; }

std::string trimmed(std::string_view text) {
  const std::string_view blanks = " \t\"'\\[]";
  while (!text.empty() && blanks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (std::string item = trimmed(text.substr(0, comma)); !item.empty()) items.push_back(std::move(item));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return items;
}

// An architecture that nvcc knows to be none that it compiles for here says why.
Error unsupported(std::string_view text) {
  std::string message = "Unsupported gpu architecture " + quote(text);
  const std::vector<uint32_t> known = all_numbers();
  message += " (there are compute_" + std::to_string(known.front()) + " to compute_" +
             std::to_string(known.back()) + "a)";
  return Error{message};
}

class Reader {
 public:
  explicit Reader(const CommandLine& line) : line_(line) {}

  Result<std::vector<Generation>> read() {
    const std::vector<std::string> pairs = line_.values(Opt::generate_code);
    const std::optional<std::string> arch = line_.value(Opt::gpu_architecture);
    std::vector<std::string> codes;
    for (const std::string& value : line_.values(Opt::gpu_code))
      for (std::string& item : split(value)) codes.push_back(std::move(item));
    // A code says nothing about what it is made from.
    if (!codes.empty() && !arch) return Error{"-arch option not specified"};
    bool good = true;
    for (const std::string& pair : pairs) good = good && add_pair(pair);
    if (good && (arch || pairs.empty() || !codes.empty()))
      good = add_arch(arch.value_or(std::string(default_arch)), arch.has_value(), codes);
    if (!good) return Error{error_};
    return std::move(generations_);
  }

 private:
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  std::optional<ArchName> parse(const std::string& text) {
    // Code for optimisation at link time is PTX here as well, and always optimised as a whole, when it runs.
    if (text.starts_with("lto_")) return parse("sm_" + text.substr(4));
    const std::optional<ArchName> known = parse_arch(text);
    return known && compiles_for(*known) ? known : std::nullopt;
  }

  void add(const ArchName& from, std::vector<ArchName> kept) {
    for (Generation& one : generations_) {
      if (one.from.name != from.name) continue;
      for (ArchName& code : kept)
        if (std::find(one.kept.begin(), one.kept.end(), code) == one.kept.end())
          one.kept.push_back(std::move(code));
      return;
    }
    generations_.push_back({{false, from.name, from.number}, std::move(kept)});
  }

  bool check(const ArchName& from, const ArchName& code) {
    const bool later = code.number >= from.number;
    const bool same_kind = !from.name.ends_with('a') || code.name == from.name;
    const bool virtual_differs = !code.real && code.name != from.name;
    if (later && same_kind && !virtual_differs) return true;
    return fail("Incompatible code generation requested: arch=" + quote(spelled(from)) +
                ", code=" + quote(spelled(code)));
  }

  // arch=compute_80,code=[sm_80,compute_80]; build files put quotes and backslashes around the codes.
  bool add_pair(const std::string& text) {
    std::string arch;
    std::vector<std::string> codes;
    bool in_codes = false;
    for (std::string item : split(text)) {
      if (item.starts_with("arch=")) {
        arch = trimmed(item.substr(5));
        in_codes = false;
      } else if (item.starts_with("code=")) {
        codes.push_back(trimmed(item.substr(5)));
        in_codes = true;
      } else if (in_codes) {
        codes.push_back(std::move(item));
      } else {
        return fail("Keyword " + quote(item.substr(0, item.find('='))) +
                    " is not defined for option 'generate-code'");
      }
    }
    if (arch.empty()) return fail("Option '--generate-code " + text + "', missing arch");
    if (codes.empty()) return fail("Option '--generate-code " + text + "', missing code");
    return add_codes(arch, codes);
  }

  bool add_codes(const std::string& arch, const std::vector<std::string>& codes) {
    const std::optional<ArchName> from = parse(arch);
    if (!from) return fail(unsupported(arch).message);
    if (from->real)
      return fail("Value of -arch option (" + quote(arch) + ") must be a virtual code architecture");
    std::vector<ArchName> kept;
    for (const std::string& text : codes) {
      const std::optional<ArchName> code = parse(text);
      if (!code) return fail(unsupported(text).message);
      if (!check(*from, *code)) return false;
      kept.push_back(*code);
    }
    add(*from, std::move(kept));
    return true;
  }

  bool add_arch(const std::string& arch, bool given, const std::vector<std::string>& codes) {
    if (arch == "native" || arch == "all" || arch == "all-major") {
      if (!codes.empty()) return fail("'-arch=" + arch + "' cannot be used with the -code option");
      arch == "native" ? add_native() : add_all(arch == "all-major");
      return true;
    }
    const std::optional<ArchName> from = parse(arch);
    if (!from) return fail(unsupported(arch).message);
    if (!codes.empty() && (given || !from->real)) return add_codes(arch, codes);
    if (!codes.empty()) return add_codes("compute_" + from->name, codes);
    const ArchName to_keep{false, from->name, from->number};
    add(*from, from->real ? std::vector<ArchName>{*from, to_keep} : std::vector<ArchName>{to_keep});
    return true;
  }

  void add_native() {
    for (const uint32_t number : native_numbers())
      add(made(false, number), {made(true, number), made(false, number)});
  }

  void add_all(bool major) {
    std::vector<uint32_t> numbers;
    for (const uint32_t number : all_numbers())
      if (is_of_all(number) && (!major || number % 10 == 0)) numbers.push_back(number);
    const uint32_t last =
        *std::find_if(numbers.rbegin(), numbers.rend(), [](uint32_t n) { return n % 10 == 0; });
    for (const uint32_t number : numbers) {
      std::vector<ArchName> kept{made(true, number)};
      if (number == last) kept.push_back(made(false, number));
      add(made(false, number), std::move(kept));
    }
  }

  const CommandLine& line_;
  std::vector<Generation> generations_;
  std::string error_;
};

}  // namespace

Result<std::vector<Generation>> read_generations(const CommandLine& line) { return Reader(line).read(); }

}  // namespace heddle::driver::nvcc
