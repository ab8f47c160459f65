#include "api/nvjitlink/options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "arch/device.h"
#include "isa/isa.h"

namespace heddle::nvjitlink {

namespace {

using What = OptionError::What;

// nvJitLink, "Supported Link Options". What only changes how machine code is made means nothing for PTX,
// which is compiled where it is loaded: it is read and left.
enum class Kind : uint8_t { arch, lto, ptx, verbose, registers, word, value };
struct Option {
  std::string_view name;
  Kind kind;
};
constexpr std::array options{
    Option{"arch", Kind::arch},
    Option{"lto", Kind::lto},
    Option{"ptx", Kind::ptx},
    Option{"verbose", Kind::verbose},
    Option{"maxrregcount", Kind::registers},
    Option{"time", Kind::word},
    Option{"g", Kind::word},
    Option{"lineinfo", Kind::word},
    Option{"no-cache", Kind::word},
    Option{"O0", Kind::word},
    Option{"O1", Kind::word},
    Option{"O2", Kind::word},
    Option{"O3", Kind::word},
    Option{"O", Kind::value},
    Option{"ftz", Kind::value},
    Option{"prec-div", Kind::value},
    Option{"prec-sqrt", Kind::value},
    Option{"fma", Kind::value},
    Option{"kernels-used", Kind::value},
    Option{"variables-used", Kind::value},
    Option{"optimize-unused-variables", Kind::word},
    Option{"Xptxas", Kind::value},
    Option{"Xnvvm", Kind::value},
    Option{"split-compile", Kind::value},
    Option{"split-compile-extended", Kind::value},
    Option{"jump-table-density", Kind::value},
    Option{"device-stack-protector", Kind::value},
    Option{"cta-distribution", Kind::value},
};

OptionError wrong(What what, std::string message) { return {what, std::move(message)}; }

Result<Unit, OptionError> read_arch(std::string_view name, Options& result) {
  if (name.starts_with("compute_"))
    return wrong(What::incompatible, "-arch=" + std::string(name) + " is for -lto -ptx alone");
  const isa::TargetInfo* target = isa::find_target(name);
  if (target == nullptr || !name.starts_with("sm_"))
    return wrong(What::unknown_arch, "no architecture is called '" + std::string(name) + "'");
  if (arch::find_architecture("sm_" + std::to_string(target->sm)) == nullptr)
    return wrong(What::unsupported_arch, "no device here has the architecture " + std::string(name));
  result.arch = target->name;
  result.capability = target->sm;
  return Unit{};
}

Result<Unit, OptionError> read_option(std::string_view text, Options& result) {
  const std::string_view body = text.substr(std::min<std::size_t>(text.find_first_not_of('-'), text.size()));
  const std::size_t equals = body.find('=');
  const std::string_view name = body.substr(0, equals);
  const bool has_value = equals != body.npos;
  const std::string_view value = has_value ? body.substr(equals + 1) : std::string_view();
  const auto found = std::ranges::find(options, name, &Option::name);
  const bool takes = found != options.end() && (found->kind == Kind::arch || found->kind == Kind::registers ||
                                                found->kind == Kind::value);
  if (found == options.end() || !text.starts_with('-') || takes != has_value)
    return wrong(What::unrecognized, "unrecognized option: " + std::string(text));
  switch (found->kind) {
    case Kind::arch: return read_arch(value, result);
    case Kind::lto: result.lto = true; break;
    case Kind::ptx: result.ptx = true; break;
    case Kind::verbose: result.verbose = true; break;
    case Kind::registers: {
      const auto [end, failed] =
          std::from_chars(value.data(), value.data() + value.size(), result.max_registers);
      if (failed != std::errc() || end != value.data() + value.size())
        return wrong(What::unrecognized, "'" + std::string(text) + "' has no number of registers");
      break;
    }
    case Kind::word:
    case Kind::value: break;
  }
  return Unit{};
}

}  // namespace

Result<Options, OptionError> read_options(std::span<const char* const> list) {
  Options result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == nullptr) return wrong(What::unrecognized, "option " + std::to_string(i) + " is NULL");
    if (auto read = read_option(list[i], result); !read) return read.error();
  }
  if (result.arch.empty()) return wrong(What::no_arch, "-arch=sm_NN is not specified");
  if (result.ptx && !result.lto) return wrong(What::incompatible, "-ptx needs -lto");
  return result;
}

}  // namespace heddle::nvjitlink
