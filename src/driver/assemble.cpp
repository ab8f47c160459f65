#include "driver/assemble.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "analysis/registers/estimate.h"
#include "analysis/resources.h"
#include "arch/device.h"
#include "driver/message.h"
#include "driver/options.gen.h"
#include "fatbin/text_cubin.h"
#include "frontend/demotion_pragma.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::driver {

namespace {

// Where a kernel's parameters begin in its bank of constant memory, by capability (toolchain facts: 0x140 and
// 0x160 bytes before them since Kepler and Volta).
constexpr uint8_t most_banks = 11;  // of constant memory, by name in PTX (5.1.3)
uint32_t parameter_base(uint32_t number) { return number >= 70 ? 0x160 : number >= 30 ? 0x140 : 0x20; }

// Barriers that the code names by number; 1 when it is not known which.
uint32_t barriers(const module::Image& image, const module::Function& function) {
  uint32_t most = 0;
  for (const module::Instruction& instruction : function.code) {
    const std::string_view text = image.mnemonics[instruction.mnemonic].text;
    const bool waits = (text.starts_with("bar.") || text.starts_with("barrier.")) &&
                       !text.starts_with("bar.warp") && !text.starts_with("barrier.cluster");
    if (!waits) continue;
    most = std::max(most, 1u);
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      const module::Operand& operand = function.operands[instruction.first_operand + i];
      if (operand.kind != module::OperandKind::immediate || operand.value >= 16) continue;
      most = std::max(most, static_cast<uint32_t>(operand.value) + 1);
      break;
    }
  }
  return most;
}

uint64_t bytes_in(const module::Image& image, module::Space space, uint8_t bank) {
  uint64_t bytes = 0;
  for (const module::Symbol& symbol : image.symbols) {
    if (symbol.kind != module::SymbolKind::memory || symbol.space != space || symbol.external) continue;
    if (space == module::Space::const_ && symbol.bank != bank) continue;
    bytes = (bytes + symbol.align - 1) / symbol.align * symbol.align + symbol.size;
  }
  return bytes;
}

class Assembler {
 public:
  Assembler(const std::string& ptx, const AssembleOptions& options)
      : ptx_(ptx), options_(options), max_registers_(options.max_registers) {}

  Assembly run() {
    check_register_limit();
    Diagnostics diagnostics;
    const auto source = std::make_shared<const SourceText>(options_.name, ptx_);
    const ptx::Module module = ptx::read(source, diagnostics);
    if (!diagnostics.all().empty() && !(options_.quiet && !diagnostics.has_errors()))
      result_.log += diagnostics.render(*source);
    const bool bad =
        diagnostics.has_errors() || (options_.warnings_are_errors && diagnostics.warning_count() != 0);
    result_.newer = module.is_newer;
    if (bad) return fail("Ptx assembly aborted due to errors");
    if (!check_target(module)) return std::move(result_);
    if (!warn_of_demotion(*source, module)) return fail("Ptx assembly aborted due to errors");

    const ptx::Module* const modules[] = {&module};
    module::LinkOptions link;
    link.allow_undefined_variables = options_.relocatable;
    auto linked = module::link(modules, link);
    if (!linked) {
      for (const std::string& text : linked.error().messages) say(Weight::error, text);
      return fail("Ptx assembly aborted due to errors");
    }
    image_ = std::move(linked).value();
    if (!check_entries()) return std::move(result_);
    if (!options_.relocatable &&
        !(check_externals() && check_shared() && check_constants() && check_instructions()))
      return std::move(result_);
    if (options_.verbose) report();
    if (!warn()) return fail("Ptx assembly aborted due to errors");
    write(module);
    return std::move(result_);
  }

 private:
  void say(Weight weight, const std::string& text) { result_.log += message("ptxas", weight, text); }

  Assembly fail(const std::string& text) {
    say(Weight::fatal, text);
    return std::move(result_);
  }

  void check_register_limit() {
    if (!max_registers_) return;
    if (*max_registers_ >= 0 && *max_registers_ <= architecture().registers.per_thread) return;
    if (!options_.quiet)
      say(Weight::warning,
          "Too big maxrregcount value specified " + std::to_string(*max_registers_) + ", will be ignored");
    max_registers_.reset();
  }

  bool check_target(const ptx::Module& module) {
    if (module.target == nullptr) return true;
    const std::string_view name = module.target->name;
    const auto target = parse_arch(name);
    if (!target || target->number <= options_.arch.number) return true;
    say(Weight::fatal, "SM version specified by .target is higher than default SM version assumed: " +
                           std::string(name) + " and " + spelled(options_.arch));
    return false;
  }

  // Names of C are provided when the program is loaded (__nv_sinf, vprintf, cudaLaunchDevice); those of C++
  // are the program's own, and must be in the same file.
  bool check_externals() {
    bool good = true;
    for (const module::Function& function : image_->functions) {
      // Kernels print from 2.0 on (CUDA C Programming Guide, "Formatted Output").
      const bool prints = function.name == "vprintf" && options_.arch.number < 20;
      if (function.defined || (!function.name.starts_with("_Z") && !prints)) continue;
      say(Weight::fatal, "Unresolved extern function '" + function.name + "'");
      good = false;
    }
    return good;
  }

  bool check_entries() {
    for (const std::string& name : options_.entries) {
      const auto found =
          std::ranges::find_if(image_->functions, [&](const auto& f) { return f.entry && f.name == name; });
      if (found != image_->functions.end()) continue;
      say(Weight::fatal, "Unknown function " + name);
      return false;
    }
    return true;
  }

  bool check_shared() {
    bool good = true;
    for (const module::Function& function : image_->functions) {
      if (!function.entry || !function.defined) continue;
      const std::optional<std::string> problem = too_much_shared(
          function.name, function.static_shared_bytes + parameters_in_shared(function), options_.arch);
      if (!problem) continue;
      say(Weight::error, *problem);
      good = false;
    }
    return good;
  }

  // False: it was asked to be an error.
  bool warn_of_demotion(const SourceText& source, const ptx::Module& module) {
    const bool demotes =
        std::ranges::find(module.target_options, "map_f64_to_f32") != module.target_options.end();
    if (!demotes || options_.quiet || !options_.warn_demotion) return true;
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Statement& statement : function.body) {
        const bool marked = statement.kind == ptx::StatementKind::pragma &&
                            module.strings[statement.index] == frontend::demotion_pragma;
        const bool is_double = statement.kind == ptx::StatementKind::instruction &&
                               module.mnemonics[statement.mnemonic].text.find(".f64") != std::string::npos;
        if (!marked && !is_double) continue;
        // In the form of the assemblers of its time.
        result_.log += "ptxas " + options_.name + ", line " +
                       std::to_string(source.locate(statement.offset).line) +
                       (options_.warnings_are_errors ? "; error   : " : "; warning : ") +
                       "Double is not supported. Demoting to float\n";
        return !options_.warnings_are_errors;
      }
    }
    return true;
  }

  // Arguments lie in shared memory on 1.x (OpenCL Programming Guide 3.2.3).
  uint64_t parameters_in_shared(const module::Function& function) const {
    const bool shared = architecture().has(arch::Feature::parameters_in_shared);
    return shared ? function.signature.param_bytes : 0;
  }

  // 2 million on devices up to 2.x (OpenCL Programming Guide C.1). What the assembler makes of an instruction
  // of PTX is mostly one of its own.
  bool check_instructions() {
    const uint64_t most = architecture().launch.max_instructions_per_kernel;
    bool good = true;
    for (const module::Function& function : image_->functions) {
      if (!function.entry || function.code.size() <= most) continue;
      say(Weight::error, "Entry function '" + function.name + "' has too many instructions (" +
                             std::to_string(function.code.size()) + ", " + std::to_string(most) + " max)");
      good = false;
    }
    return good;
  }

  bool check_constants() {
    const uint64_t most = architecture().memory.constant_bytes;
    for (uint8_t bank = 0; bank < most_banks; ++bank) {
      const uint64_t bytes = bytes_in(*image_, module::Space::const_, bank);
      if (bytes <= most) continue;
      char figures[64];
      std::snprintf(figures, sizeof figures, "(0x%llx bytes, 0x%x max)",
                    static_cast<unsigned long long>(bytes), static_cast<unsigned>(most));
      say(Weight::error, std::string("File uses too much global constant data ") + figures);
      return false;
    }
    return true;
  }

  void report() {
    const uint64_t constants = bytes_in(*image_, module::Space::const_, 0);
    std::string globals = std::to_string(bytes_in(*image_, module::Space::global, 0)) + " bytes gmem";
    const bool banks = options_.arch.number < 90;  // later devices' figures leave the banks out
    if (constants != 0 && banks)
      globals += ", " + std::to_string(constants) + " bytes cmem[" +
                 (options_.arch.number < 20   ? "0"
                  : options_.arch.number < 30 ? "2"
                                              : "3") +
                 "]";
    say(Weight::info, globals);
    for (auto function = image_->functions.rbegin(); function != image_->functions.rend(); ++function)
      if (function->entry && function->defined) report_entry(*function);
  }

  void report_entry(const module::Function& function) {
    const auto begin = std::chrono::steady_clock::now();
    const auto index = static_cast<uint32_t>(&function - image_->functions.data());
    const analysis::ThreadResources needs = analysis::reported_thread(*image_, index, architecture());
    say(Weight::info, "Compiling entry function '" + function.name + "' for '" +
                          spelled({true, options_.arch.name, options_.arch.number}) + "'");
    say(Weight::info, "Function properties for " + function.name);
    const analysis::RegisterEstimate estimate = registers(index);
    const std::string spilled = std::to_string(estimate.spilled_bytes);
    result_.log += "    " + std::to_string(needs.stack_bytes + estimate.spilled_bytes) +
                   " bytes stack frame, " + spilled + " bytes spill stores, " + spilled +
                   " bytes spill loads\n";
    std::string used = "Used " + std::to_string(estimate.registers) + " registers, used " +
                       std::to_string(barriers(*image_, function)) + " barriers";
    if (needs.stack_bytes != 0)
      used += ", " + std::to_string(needs.stack_bytes) + " bytes cumulative stack size";
    const uint64_t arguments = parameters_in_shared(function);
    if (function.static_shared_bytes + arguments != 0)
      used += ", " + std::to_string(function.static_shared_bytes + arguments) + " bytes smem";
    if (options_.arch.number < 90 && options_.arch.number >= 20)
      used += ", " + std::to_string(parameter_base(options_.arch.number) + function.signature.param_bytes) +
              " bytes cmem[0]";
    say(Weight::info, used);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    char text[64];
    std::snprintf(text, sizeof text, "Compile time = %.3f ms", time.count());
    say(Weight::info, text);
  }

  const arch::Architecture& architecture() const { return architecture_of(options_.arch); }

  analysis::RegisterEstimate registers(uint32_t entry) const {
    const auto limit = static_cast<uint32_t>(max_registers_.value_or(0));
    return analysis::estimate_registers(*image_, entry, architecture(), limit);
  }

  // False: warnings were asked to be errors, and there were some.
  bool warn() {
    if (options_.quiet) return true;
    bool good = true;
    const auto complain = [&](const std::string& text) {
      say(options_.warnings_are_errors ? Weight::error : Weight::warning, text);
      good = !options_.warnings_are_errors;
    };
    for (const module::Function& function : image_->functions) {
      if (!function.defined) continue;
      if (options_.warn_local && function.frame_bytes != 0 && function.entry)
        complain("Local memory used for function '" + function.name +
                 "', size of stack frame: " + std::to_string(function.frame_bytes) + " bytes");
      if (!options_.warn_double) continue;
      const auto doubles = [&](const module::Instruction& instruction) {
        return image_->mnemonics[instruction.mnemonic].text.find(".f64") != std::string::npos;
      };
      if (std::any_of(function.code.begin(), function.code.end(), doubles))
        complain("Double precision instructions used in function '" + function.name + "'");
    }
    return good;
  }

  void write(const ptx::Module& module) {
    fatbin::NewEntry entry;
    entry.arch = in_fat_binary(options_.arch);
    entry.version_major = static_cast<uint16_t>(module.version.major);
    entry.version_minor = static_cast<uint16_t>(module.version.minor);
    entry.compression = options_.compression;
    entry.content = ptx_;
    if (max_registers_) entry.options = "-maxrregcount " + std::to_string(*max_registers_);
    const fatbin::NewEntry entries[] = {entry};
    Result<std::string> file = fatbin::write(entries);
    if (!file) {
      say(Weight::fatal, file.error().message);
      return;
    }
    result_.cubin = is_text() ? as_text(*file) : std::move(*file);
    result_.ok = true;
  }

  // Of devices before 2.0, as long as nothing is to be linked.
  bool is_text() const { return options_.arch.number < 20 && !options_.relocatable; }
  std::string as_text(std::string_view fat_binary) const {
    // Place and size of the block lie in shared memory, in front of the arguments.
    constexpr uint64_t of_the_system = 16;
    fatbin::TextCubin cubin;
    cubin.arch = in_fat_binary(options_.arch);
    cubin.fat_binary = fat_binary;
    for (uint32_t i = 0; i < image_->functions.size(); ++i) {
      const module::Function& function = image_->functions[i];
      if (!function.entry || !function.defined) continue;
      const analysis::RegisterEstimate estimate = registers(i);
      cubin.kernels.push_back(
          {function.name,
           analysis::reported_thread(*image_, i, architecture()).stack_bytes + estimate.spilled_bytes,
           of_the_system + parameters_in_shared(function) + function.static_shared_bytes, estimate.registers,
           barriers(*image_, function)});
    }
    return fatbin::write(cubin);
  }

  const std::string& ptx_;
  const AssembleOptions& options_;
  std::optional<int64_t> max_registers_;
  std::unique_ptr<module::Image> image_;
  Assembly result_;
};

}  // namespace

Result<AssembleOptions> read_assembler(const CommandLine& line) {
  const std::string arch = line.value(ptxas::Opt::gpu_name).value_or("sm_52");
  const std::optional<ArchName> parsed = parse_arch(arch);
  if (!parsed) return Error{"Value '" + arch + "' is not defined for option 'gpu-name'"};
  AssembleOptions options;
  options.arch = {true, parsed->name, parsed->number};
  options.verbose = line.has(ptxas::Opt::verbose);
  options.relocatable = line.has(ptxas::Opt::compile_only);
  options.quiet = line.has(ptxas::Opt::disable_warnings);
  options.warnings_are_errors = line.has(ptxas::Opt::warning_as_error);
  options.warn_demotion = !line.has(ptxas::Opt::suppress_double_demote_warning);
  options.warn_double = line.has(ptxas::Opt::warn_on_double_precision_use);
  options.warn_local = line.has(ptxas::Opt::warn_on_local_memory_usage);
  options.entries = line.values(ptxas::Opt::entry);
  Result<std::optional<int64_t>> registers = read_register_limit(line);
  if (!registers) return registers.error();
  options.max_registers = *registers;
  return options;
}

Result<std::optional<int64_t>> read_register_limit(const CommandLine& line) {
  const std::optional<std::string> text = line.value(ptxas::Opt::maxrregcount);
  if (!text || *text == "archmax" || *text == "archmin") return std::optional<int64_t>();
  const Result<int64_t> number = read_number(*text);
  if (!number) return Error{"Invalid value '" + *text + "' for option 'maxrregcount'"};
  return std::optional(*number);
}

std::optional<std::string> too_much_shared(std::string_view kernel, uint64_t bytes, const ArchName& arch) {
  const uint32_t most = architecture_of(arch).shared.per_block;
  if (bytes <= most) return std::nullopt;
  char figures[64];
  std::snprintf(figures, sizeof figures, "(0x%llx bytes, 0x%x max)", static_cast<unsigned long long>(bytes),
                most);
  return "Entry function '" + std::string(kernel) + "' uses too much shared data " + figures;
}

std::string link_report(const module::Image& image, const ArchName& arch) {
  const auto number = [](uint64_t value) { return std::to_string(value); };
  const arch::Architecture& architecture = architecture_of(arch);
  std::string text =
      message("nvlink", Weight::info, number(bytes_in(image, module::Space::global, 0)) + " bytes gmem");
  for (uint32_t i = 0; i < image.functions.size(); ++i) {
    const module::Function& function = image.functions[i];
    if (!function.entry || !function.defined) continue;
    const analysis::ThreadResources needs = analysis::reported_thread(image, i, architecture);
    const analysis::RegisterEstimate estimate = analysis::estimate_registers(image, i, architecture, 0);
    text += message("nvlink", Weight::info, "Function properties for '" + function.name + "':");
    text += message(
        "nvlink", Weight::info,
        "used " + number(estimate.registers) + " registers, used " + number(barriers(image, function)) +
            " barriers, " + number(needs.stack_bytes) + " stack, " + number(function.static_shared_bytes) +
            " bytes smem, " + number(parameter_base(arch.number) + function.signature.param_bytes) +
            " bytes cmem[0], " + number(needs.stack_bytes + estimate.spilled_bytes) + " bytes lmem");
  }
  return text;
}

Assembly assemble(const std::string& ptx, const AssembleOptions& options) {
  return Assembler(ptx, options).run();
}

}  // namespace heddle::driver
