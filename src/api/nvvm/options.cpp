#include "api/nvvm/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "frontend/cuda.h"

namespace heddle::nvvm {
namespace {

using frontend::NvvmOptions;

// libNVVM API, nvvmCompileProgram: each option is one word, its value behind '='.
enum class Kind : unsigned char { arch, opt, ftz, prec_sqrt, prec_div, fma, debug, lines, number, refused };
struct Option {
  std::string_view name;
  Kind kind;
};
constexpr std::array options{
    Option{"arch", Kind::arch},
    Option{"opt", Kind::opt},
    Option{"ftz", Kind::ftz},
    Option{"prec-sqrt", Kind::prec_sqrt},
    Option{"prec-div", Kind::prec_div},
    Option{"fma", Kind::fma},
    Option{"g", Kind::debug},
    Option{"generate-line-info", Kind::lines},
    // How the work is divided, and how switches become tables: the code means the same.
    Option{"split-compile", Kind::number},
    Option{"jump-table-density", Kind::number},
    Option{"gen-lto", Kind::refused},
    Option{"gen-opt-lto", Kind::refused},
    Option{"optix-ir", Kind::refused},
};

}  // namespace

Result<NvvmOptions> read_options(std::span<const char* const> list) {
  NvvmOptions result;
  result.target = *frontend::find_target("52");  // the default of CUDA 12
  bool precise_root = true, precise_division = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == nullptr) return Error{"option " + std::to_string(i) + " is NULL"};
    const std::string_view text = list[i];
    const auto wrong = [&](const std::string& what) { return Error{std::string(text) + " " + what}; };
    const std::string_view body = text.substr(text.starts_with("--") ? 2 : text.starts_with('-') ? 1 : 0);
    const std::size_t sign = std::min(body.find('='), body.size());
    const std::string_view value = body.substr(std::min(sign + 1, body.size()));
    const auto found = std::ranges::find(options, body.substr(0, sign), &Option::name);
    if (body.size() == text.size() || found == options.end()) return wrong("is an unsupported option");
    const bool has_value = sign < body.size();
    const bool is_truth = value == "0" || value == "1";
    switch (found->kind) {
      case Kind::arch: {
        if (!value.starts_with("compute_")) return wrong("must name an architecture, compute_XX");
        const auto target = frontend::find_target(value.substr(8));
        if (!target) return wrong("is an unsupported architecture");
        result.target = *target;
        break;
      }
      case Kind::opt:
        if (value.size() != 1 || value[0] < '0' || value[0] > '3') return wrong("must be 0 or 3");
        result.optimize = value != "0";
        break;
      case Kind::ftz:
        if (!is_truth) return wrong("must be 0 or 1");
        result.flush_subnormals = value == "1";
        break;
      case Kind::prec_sqrt:
        if (!is_truth) return wrong("must be 0 or 1");
        precise_root = value == "1";
        break;
      case Kind::prec_div:
        if (!is_truth) return wrong("must be 0 or 1");
        precise_division = value == "1";
        break;
      case Kind::fma:
        if (!is_truth) return wrong("must be 0 or 1");
        result.fuse = value == "1";
        break;
      case Kind::debug:
        if (has_value) return wrong("takes no value");
        result.debug = NvvmOptions::Debug::whole;
        break;
      case Kind::lines:
        if (has_value) return wrong("takes no value");
        if (result.debug == NvvmOptions::Debug::none) result.debug = NvvmOptions::Debug::lines;
        break;
      case Kind::number: {
        int number = 0;
        const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (failed != std::errc() || end != value.data() + value.size() || number < 0)
          return wrong("must be a number");
        break;
      }
      case Kind::refused: return wrong("is not supported: there is no such code here");
    }
  }
  result.precision.approximate_root = !precise_root;
  if (!precise_division) result.precision.division = frontend::FloatPrecision::Division::full_range;
  result.precision.flush_subnormals = result.flush_subnormals;
  result.precision = frontend::precision_on(result.target, result.precision);
  return result;
}

}  // namespace heddle::nvvm
