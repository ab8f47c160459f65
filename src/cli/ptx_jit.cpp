// heddle ptx jit FILE: the stages of the fast executor, for tests and for whoever works on it.
#include <array>
#include <charconv>
#include <ostream>
#include <vector>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "exec/jit/compiler/stages.h"
#include "exec/jit/passes/costs.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::cli {

namespace {

constexpr std::array kOptions{
    Option{"--kernel", "NAME", "this kernel alone; without it all of them"},
    Option{
        "--print", "STAGE",
        "the stage, or behind which pass (--list-passes); several with commas between. Default: canonical"},
    Option{"--block", "X[,Y[,Z]]", "threads of a block, for the stages from the vectoriser on; default: 256"},
    Option{"--vectors", "N", "vectors that one instruction becomes; default: 2"},
    Option{"--best", "", "vectors, prefetches and unrolled loops as the compiler's last tier chooses them"},
    Option{"--quick", "", "the shorter code that the compiler's first tier chooses"},
    Option{"--lanes", "4|8|16", "lanes of a vector; default: 16"},
    Option{"--threads", "", "as threads with stacks of their own, which kernels are that have no vectors"},
    Option{"--disable", "PASS[,PASS]", "without these passes, as HEDDLE_JIT_DISABLE"},
    Option{"--list-passes", "", "print the table of passes, and nothing else"},
    Option{"--list-costs", "", "print the table of the numbers by which passes decide, and nothing else"},
    Option{
        "--time-passes", "",
        "print nothing but the processor time of each pass, LLVM's own among them, down to machine code of "
        "this host; with --best the last tier's"},
    Option{"--device", "NAME", "the device to be (see heddle devices); default: h200"},
};

Result<std::vector<exec::jit::Printed>> read_stages(std::string_view text) {
  std::vector<exec::jit::Printed> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto printed = exec::jit::find_printed(text.substr(begin, end - begin));
    if (!printed) return Error{"--print " + printed.error()};
    out.push_back(*printed);
    begin = end + 1;
  }
  return out;
}

Result<std::unique_ptr<module::Image>> read_image(const Arguments& arguments, Console& console) {
  std::vector<ptx::Module> modules;
  bool bad = false;
  for (const std::string_view name : arguments.operands()) {
    const auto source = read_source(name, console);
    if (!source) return source.error();
    Diagnostics diagnostics;
    modules.push_back(ptx::read(*source, diagnostics));
    console.err << diagnostics.render(**source);
    bad |= diagnostics.has_errors();
  }
  if (bad) return Error{"the program has errors"};
  std::vector<const ptx::Module*> pointers;
  for (const ptx::Module& module : modules) pointers.push_back(&module);
  auto image = module::link(pointers);
  if (image) return std::move(*image);
  std::string text;
  for (const std::string& message : image.error().messages) text += (text.empty() ? "" : "\n") + message;
  return Error{text};
}

Exit run_ptx_jit(const Arguments& arguments, Console& console) {
  const auto failed = [&](const std::string& message) {
    complain(console, message);
    return Exit::failed;
  };
  if (arguments.has("--list-passes")) {
    console.out << exec::jit::list_passes();
    return Exit::ok;
  }
  if (arguments.has("--list-costs")) {
    console.out << exec::jit::list_costs();
    return Exit::ok;
  }
  if (arguments.operands().empty()) {
    complain(console, "no file: what is to become machine code?");
    return Exit::usage;
  }
  const auto disabled = exec::jit::read_passes_to_disable(arguments.value("--disable", ""));
  if (!disabled) {
    complain(console, "--disable: " + disabled.error());
    return Exit::usage;
  }
  const auto stages = read_stages(arguments.value("--print", "canonical"));
  if (!stages) {
    complain(console, stages.error().message);
    return Exit::usage;
  }
  const arch::Device* device = &arch::default_device();
  if (arguments.has("--device")) {
    const auto found = arch::find_device(arguments.value("--device"));
    if (!found) return failed(found.error().message);
    device = *found;
  }
  const auto image = read_image(arguments, console);
  if (!image) return failed(image.error().message);
  const std::string_view wanted = arguments.value("--kernel");
  bool any = false;
  exec::Dim3 block{256, 1, 1};
  uint32_t* const sizes[] = {&block.x, &block.y, &block.z};
  std::string_view text = arguments.value("--block", "256");
  for (uint32_t* size : sizes) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end == 0) break;
    std::from_chars(text.data(), text.data() + end, *size);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto number = [&](std::string_view option, unsigned value) {
    const std::string_view written = arguments.value(option, "");
    std::from_chars(written.data(), written.data() + written.size(), value);
    return value;
  };
  using exec::jit::StagePlan;
  if (arguments.has("--best") && arguments.has("--quick"))
    return failed("--best and --quick are two tiers: one of them");
  const StagePlan plan = arguments.has("--best")    ? StagePlan::best
                         : arguments.has("--quick") ? StagePlan::quick
                                                    : StagePlan::given;
  const unsigned lanes = number("--lanes", 16);
  const unsigned vectors = number("--vectors", plan == StagePlan::given ? 2 : 32);
  if (block.count() == 0 || block.count() > 1024 || (lanes != 4 && lanes != 8 && lanes != 16) ||
      vectors == 0 || lanes * vectors % 32 != 0)
    return failed("--block needs 1 to 1024 threads, --lanes 4, 8 or 16, --vectors whole warps of 32 lanes");
  exec::jit::PassTimer timer;
  for (uint32_t i = 0; i < (*image)->functions.size(); ++i) {
    const module::Function& function = (*image)->functions[i];
    if (!function.entry || !function.defined || (!wanted.empty() && function.name != wanted)) continue;
    any = true;
    const exec::jit::StageRequest request{
        **image, i, *device, block, lanes, vectors, plan, arguments.has("--threads"), *disabled};
    if (arguments.has("--time-passes")) {
      if (const std::string why = timer.add(request); !why.empty())
        complain(console, "'" + function.name + "' is not for machine code: " + why);
      continue;
    }
    const auto texts = exec::jit::print_stages(request, *stages);
    if (!texts) return failed(texts.error());
    for (std::size_t n = 0; n < stages->size(); ++n)
      console.out << "; " << (*stages)[n].name << " of " << function.name << '\n' << (*texts)[n];
  }
  if (!any)
    return failed(wanted.empty() ? "the program has no kernel" : "no kernel '" + std::string(wanted) + "'");
  if (arguments.has("--time-passes")) console.out << timer.text();
  return Exit::ok;
}

}  // namespace

const Command ptx_jit_command{
    "ptx jit",
    "FILE...",
    0,
    kNoLimit,
    "show how kernels become machine code",
    "Reads, verifies and links the files ('-' is the standard input) and prints what the fast executor makes "
    "of\n"
    "a kernel, at one stage or several:\n"
    "  thread     one thread's program as LLVM IR, operations that LLVM has no instruction for as calls\n"
    "  canonical  the same, cleaned\n"
    "  patterns   its regions from barrier to barrier, each value with how it varies over the threads of a "
    "group\n"
    "             (fast code) and of a warp (slow code)\n"
    "  warp       vector code over blocks, before LLVM's optimiser\n"
    "  threads    code of threads on their own, where they have no vectors\n"
    "  summary    how many operations there are, and which instructions are left to the reference executor\n"
    "What is printed is for people and tests; no other program should rely on it.",
    kOptions,
    run_ptx_jit};

}  // namespace heddle::cli
