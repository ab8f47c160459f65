#include "api/nvrtc/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "frontend/cuda.h"
#include "frontend/messages.h"

namespace heddle::nvrtc {
namespace {

using Division = frontend::FloatPrecision::Division;

// NVRTC User Guide, "Supported Compile Options": each name with its short form; a value may follow '=' or be
// the next word.
enum class Kind : uint8_t {
  architecture,
  define,
  undefine,
  include,
  pre_include,
  standard,
  fast_math,
  ftz,
  prec_sqrt,
  prec_div,
  fmad,
  warp_synchronous,
  debug,
  line_info,
  relocatable,
  whole_program,
  no_warnings,
  messages_error,
  messages_suppress,
  messages_warn,
  device_by_default,
  max_registers,
  link_time,
  ignored,        // alone
  ignored_value,  // with a value
  refused,        // meant to make what we cannot
};
struct Option {
  std::string_view name;
  Kind kind;
  bool value = false;
};
constexpr std::array options{
    Option{"gpu-architecture", Kind::architecture, true},
    Option{"arch", Kind::architecture, true},
    Option{"define-macro", Kind::define, true},
    Option{"D", Kind::define, true},
    Option{"undefine-macro", Kind::undefine, true},
    Option{"U", Kind::undefine, true},
    Option{"include-path", Kind::include, true},
    Option{"I", Kind::include, true},
    Option{"pre-include", Kind::pre_include, true},
    Option{"include", Kind::pre_include, true},
    Option{"std", Kind::standard, true},
    Option{"use_fast_math", Kind::fast_math},
    Option{"ftz", Kind::ftz, true},
    Option{"prec-sqrt", Kind::prec_sqrt, true},
    Option{"prec-div", Kind::prec_div, true},
    Option{"fmad", Kind::fmad, true},
    Option{"warp-synchronous", Kind::warp_synchronous, true},  // Heddle's own, nvcc's too
    Option{"device-debug", Kind::debug},
    Option{"G", Kind::debug},
    Option{"generate-line-info", Kind::line_info},
    Option{"lineinfo", Kind::line_info},
    Option{"device-c", Kind::relocatable},
    Option{"dc", Kind::relocatable},
    Option{"device-w", Kind::whole_program},
    Option{"dw", Kind::whole_program},
    Option{"disable-warnings", Kind::no_warnings},
    Option{"w", Kind::no_warnings},
    Option{"relocatable-device-code", Kind::relocatable, true},
    Option{"rdc", Kind::relocatable, true},
    Option{"maxrregcount", Kind::max_registers, true},
    Option{"ptxas-options", Kind::ignored_value, true},
    Option{"Xptxas", Kind::ignored_value, true},
    Option{"builtin-move-forward", Kind::ignored_value, true},
    Option{"builtin-initializer-list", Kind::ignored_value, true},
    Option{"restrict", Kind::ignored},
    Option{"extensible-whole-program", Kind::relocatable},
    Option{"ewp", Kind::relocatable},
    Option{"extra-device-vectorization", Kind::ignored},
    Option{"modify-stack-limit", Kind::ignored_value, true},
    Option{"device-as-default-execution-space", Kind::device_by_default},
    Option{"default-device", Kind::device_by_default},
    Option{"device-int128", Kind::ignored},
    Option{"display-error-number", Kind::ignored},
    Option{"err-no", Kind::ignored},
    Option{"no-display-error-number", Kind::ignored},
    Option{"no-err-no", Kind::ignored},
    Option{"diag-error", Kind::messages_error, true},
    Option{"diag-suppress", Kind::messages_suppress, true},
    Option{"diag-warn", Kind::messages_warn, true},
    Option{"optimization-info", Kind::ignored_value, true},
    Option{"opt-info", Kind::ignored_value, true},
    Option{"brief-diagnostics", Kind::ignored_value, true},
    Option{"split-compile", Kind::ignored_value, true},
    Option{"no-source-include", Kind::ignored},
    Option{"no-cache", Kind::ignored},
    Option{"minimal", Kind::ignored},
    Option{"pch", Kind::ignored},
    Option{"create-pch", Kind::ignored_value, true},
    Option{"use-pch", Kind::ignored_value, true},
    Option{"pch-dir", Kind::ignored_value, true},
    Option{"pch-verbose", Kind::ignored_value, true},
    Option{"pch-messages", Kind::ignored_value, true},
    Option{"instantiate-templates-in-pch", Kind::ignored_value, true},
    Option{"fdevice-syntax-only", Kind::ignored},
    Option{"fdevice-time-trace", Kind::ignored_value, true},
    Option{"device-stack-protector", Kind::ignored_value, true},
    Option{"jump-table-density", Kind::ignored_value, true},
    Option{"jtd", Kind::ignored_value, true},
    Option{"frandom-seed", Kind::ignored_value, true},
    Option{"random-seed", Kind::ignored_value, true},
    Option{"version-ident", Kind::ignored_value, true},
    Option{"time", Kind::ignored_value, true},
    Option{"dopt", Kind::ignored_value, true},
    Option{"Ofast-compile", Kind::ignored_value, true},
    Option{"dlink-time-opt", Kind::link_time},
    Option{"dlto", Kind::link_time},
    Option{"gen-opt-lto", Kind::refused},
    Option{"optix-ir", Kind::refused},
};

const Option* find(std::string_view name) {
  const auto* found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : found;
}

// "-DX=1" has its value behind the letter, "--name=value" behind the sign.
struct Word {
  const Option* option = nullptr;
  std::optional<std::string> value;
};
Word split(std::string_view text) {
  Word word;
  const std::string_view body = text.substr(text.starts_with("--") ? 2 : 1);
  const std::size_t sign = body.find('=');
  word.option = find(body.substr(0, sign));
  if (word.option != nullptr) {
    if (sign != body.npos) word.value = body.substr(sign + 1);
    return word;
  }
  if (!text.starts_with("--") && !body.empty() &&
      std::string_view("DUI").find(body[0]) != std::string_view::npos) {
    word.option = find(body.substr(0, 1));
    word.value = body.substr(1);
  }
  return word;
}

Result<bool> truth(std::string_view option, const std::string& value) {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  return Error{"the value of '" + std::string(option) + "' must be true or false, is '" + value + "'"};
}

class Reader {
 public:
  Result<Options> read(std::span<const char* const> list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == nullptr) return Error{"option " + std::to_string(i) + " is NULL"};
      const std::string_view text = list[i];
      if (!text.starts_with('-') || text.size() < 2) return Error{"'" + std::string(text) + "' is no option"};
      Word word = split(text);
      if (word.option == nullptr) return Error{"unrecognized option '" + std::string(text) + "'"};
      if (word.option->value && !word.value && !may_stand_alone(word.option->kind)) {
        if (i + 1 == list.size() || list[i + 1] == nullptr)
          return Error{"the value of '" + std::string(text) + "' is missing"};
        word.value = list[++i];
      }
      if (auto done = apply(*word.option, text, word.value.value_or("")); !done) return done.error();
    }
    return finish();
  }

 private:
  static bool may_stand_alone(Kind kind) { return kind == Kind::relocatable; }

  Result<Unit> flag(std::string_view text, const std::string& value, bool& out) {
    auto read = truth(text, value);
    if (!read) return read.error();
    out = *read;
    return Unit{};
  }

  Result<Unit> apply(const Option& option, std::string_view text, const std::string& value) {
    switch (option.kind) {
      case Kind::architecture: return architecture(text, value);
      case Kind::define: define(value); break;
      case Kind::undefine: result_.macros += "#undef " + value.substr(0, value.find('\n')) + "\n"; break;
      case Kind::include: result_.places.push_back("-I" + value); break;
      case Kind::pre_include: result_.places.insert(result_.places.end(), {"-include", value}); break;
      case Kind::standard: return standard(text, value);
      case Kind::messages_error: return messages(value, frontend::MessageWeight::error);
      case Kind::messages_suppress: return messages(value, frontend::MessageWeight::suppressed);
      case Kind::messages_warn: return messages(value, frontend::MessageWeight::warning);
      case Kind::device_by_default: result_.device_by_default = true; break;
      case Kind::fast_math: fast_ = true; break;
      case Kind::max_registers:
        if (value.empty() || value.find_first_not_of("0123456789") != value.npos)
          return Error{"invalid value for '" + std::string(text) + "'"};
        result_.max_registers = value;
        break;
      case Kind::link_time: result_.link_time = result_.relocatable = true; break;
      case Kind::ftz: return flag(text, value, ftz_);
      case Kind::prec_sqrt: return flag(text, value, prec_sqrt_);
      case Kind::prec_div: return flag(text, value, prec_div_);
      case Kind::fmad: return flag(text, value, fmad_);
      case Kind::warp_synchronous: {
        bool keeps = false;
        Result<Unit> read = flag(text, value, keeps);
        if (read) result_.warp_synchronous = keeps;
        return read;
      }
      case Kind::debug: debug_ = true; break;
      case Kind::line_info: lines_ = true; break;
      case Kind::relocatable:
        result_.relocatable = true;
        if (!value.empty()) return flag(text, value, result_.relocatable);
        break;
      case Kind::whole_program: result_.relocatable = false; break;
      case Kind::no_warnings: result_.words.push_back("-w"); break;
      case Kind::ignored:
      case Kind::ignored_value: break;
      case Kind::refused:
        return Error{"'" + std::string(text) + "' is not supported: there is no such code here"};
    }
    return Unit{};
  }

  // NAME is NAME=1; a text ends with its line.
  void define(std::string_view value) {
    value = value.substr(0, value.find('\n'));
    const std::size_t sign = std::min(value.find('='), value.size());
    result_.macros += "#define " + std::string(value.substr(0, sign)) + " ";
    result_.macros += sign == value.size() ? "1" : value.substr(sign + 1);
    result_.macros += "\n";
  }

  Result<Unit> standard(std::string_view text, const std::string& value) {
    constexpr std::string_view standards[] = {"c++03", "c++11", "c++14", "c++17", "c++20"};
    if (std::ranges::find(standards, value) == std::end(standards))
      return Error{"invalid value for '" + std::string(text) + "'"};
    // clang's headers for CUDA need C++11.
    standard_ = value == "c++03" ? "c++11" : value;
    return Unit{};
  }

  // Numbers and names with commas between.
  Result<Unit> messages(std::string_view list, frontend::MessageWeight weight) {
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      for (std::string& word : frontend::message_options(list.substr(0, comma), weight))
        result_.words.push_back(std::move(word));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return Unit{};
  }

  Result<Unit> architecture(std::string_view text, std::string_view value) {
    result_.real = value.starts_with("sm_");
    const std::string_view prefix = result_.real ? "sm_" : "compute_";
    const auto target =
        value.starts_with(prefix) ? frontend::find_target(value.substr(prefix.size())) : std::nullopt;
    if (!target) return Error{"invalid value for '" + std::string(text) + "'"};
    result_.architecture = target->name;
    return Unit{};
  }

  Result<Options> finish() {
    const bool ftz = ftz_ || fast_;
    const bool exact_division = prec_div_ && !fast_, exact_root = prec_sqrt_ && !fast_;
    std::vector<std::string> words{"-std=" + standard_, debug_ ? "-O0" : "-O3"};
    if (debug_)
      words.emplace_back("-g");
    else if (lines_)
      words.emplace_back("-gline-directives-only");
    if (ftz) words.emplace_back("-fgpu-flush-denormals-to-zero");
    if (fast_) words.insert(words.end(), {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__"});
    if (!fmad_) words.emplace_back("-ffp-contract=off");
    if (result_.relocatable) words.insert(words.end(), {"-fgpu-rdc", "-D__CUDACC_RDC__"});
    words.insert(words.end(), {std::string("-D__CUDA_FTZ=") + (ftz ? "1" : "0"),
                               std::string("-D__CUDA_PREC_DIV=") + (exact_division ? "1" : "0"),
                               std::string("-D__CUDA_PREC_SQRT=") + (exact_root ? "1" : "0")});
    result_.words.insert(result_.words.begin(), words.begin(), words.end());
    result_.precision.flush_subnormals = ftz;
    result_.precision.approximate_root = !exact_root;
    if (!exact_division) result_.precision.division = fast_ ? Division::approximate : Division::full_range;
    return std::move(result_);
  }

  Options result_;
  std::string standard_ = "c++17";
  bool fast_ = false, ftz_ = false, prec_sqrt_ = true, prec_div_ = true, fmad_ = true, debug_ = false,
       lines_ = false;
};

}  // namespace

Result<Options> read_options(std::span<const char* const> list) { return Reader().read(list); }

}  // namespace heddle::nvrtc
