#include <algorithm>
#include <iostream>
#include <memory>
#include <span>

#include "driver/file.h"
#include "driver/options.gen.h"
#include "driver/program.h"
#include "elf/object_file.h"
#include "fatbin/text_cubin.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::driver::nvdisasm {
namespace {

const ProgramFacts program{.options = options,
                           .what = "CUDA disassembler",
                           .usage = "Usage  : nvdisasm [options] <image file>\n",
                           .one_file = true};

int complain(const std::string& text) { return driver::complain(program, text); }

// The texts of what our ptxas, nvlink and their like make.
Result<std::vector<std::string>> texts_of(const std::string& path) {
  Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (fatbin::is_text_cubin(*bytes)) {
    bytes = fatbin::read_text_cubin(*bytes);
    if (!bytes) return Error{"'" + path + "': " + bytes.error().message};
  }
  if (elf::is_elf(*bytes))
    return Error{"'" + path +
                 "' is machine code, or a program or object file with code inside: Heddle cannot "
                 "read machine code, and cuobjdump -ptx shows what is inside"};
  const auto entries = fatbin::read(std::as_bytes(std::span(*bytes)));
  if (!entries) return Error{"'" + path + "': " + entries.error().message};
  std::vector<std::string> texts;
  for (const fatbin::Entry& entry : *entries) {
    if (entry.kind != fatbin::Kind::ptx) continue;
    Result<std::string> text = fatbin::contents(entry);
    if (!text) return Error{"'" + path + "': " + text.error().message};
    texts.push_back(std::move(*text));
  }
  if (texts.empty()) return Error{"'" + path + "' has no PTX"};
  return texts;
}

// What Graphviz takes between double quotes, a line of code to a line of the node.
void add_quoted(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (std::string_view("\"\\{}<>|").find(c) != std::string_view::npos) out += '\\';
    out += c == '\t' || c == '\n' ? ' ' : c;
  }
}

class Graph {
 public:
  Graph(const std::string& text, bool numbered) : text_(text), numbered_(numbered) {}

  void add(const module::Function& function) {
    out_ += "  subgraph \"cluster_" + function.name + "\" {\n    label=\"" + function.name + "\";\n";
    for (uint32_t i = 0; i < function.blocks.size(); ++i) {
      const module::Block& block = function.blocks[i];
      out_ += "    " + node(function, i) + " [label=\"{";
      for (uint32_t k = block.first; k < block.end; ++k) {
        if (numbered_) out_ += std::to_string(k) + ": ";
        add_quoted(out_, instruction(function.code[k]));
        out_ += "\\l";
      }
      out_ += "}\"];\n";
    }
    for (uint32_t i = 0; i < function.blocks.size(); ++i)
      for (const uint32_t next : function.blocks[i].successors)
        out_ += "    " + node(function, i) + " -> " + node(function, next) + ";\n";
    out_ += "  }\n";
  }
  const std::string& text() const { return out_; }

 private:
  static std::string node(const module::Function& function, uint32_t block) {
    return "\"" + function.name + "." + std::to_string(block) + "\"";
  }
  // As the text has it, with the predicate before it.
  std::string_view instruction(const module::Instruction& instruction) const {
    const std::string_view text = text_;
    const std::size_t place = std::min<std::size_t>(instruction.source_offset, text.size());
    const std::size_t before = place == 0 ? text.npos : text.find_last_of(";{}:\n", place - 1);
    const std::size_t begin = text.find_first_not_of(" \t\r", before == text.npos ? 0 : before + 1);
    return text.substr(begin, std::min(text.find(';', place), text.size()) - begin);
  }

  const std::string& text_;
  const bool numbered_;
  std::string out_;
};

// The error has the text's own diagnostics.
Result<std::unique_ptr<module::Image>> image_of(const std::string& path, const std::string& text) {
  const auto source = std::make_shared<const SourceText>(path, text);
  Diagnostics diagnostics;
  const ptx::Module module = ptx::read(source, diagnostics);
  if (diagnostics.has_errors()) return Error{diagnostics.render(*source)};
  const ptx::Module* const modules[] = {&module};
  module::LinkOptions options;
  options.allow_undefined_variables = true;
  auto image = module::link(modules, options);
  if (!image)
    return Error{image.error().messages.empty() ? "it cannot be linked" : image.error().messages[0]};
  return std::move(*image);
}

// From the first line of a function on, comments and directives before it included.
std::string_view functions_of(std::string_view text) {
  std::size_t begin = text.size();
  for (const std::string_view word : {".entry", ".func"})
    for (std::size_t place = text.find(word); place != text.npos; place = text.find(word, place + 1)) {
      const char behind = place + word.size() < text.size() ? text[place + word.size()] : '\0';
      if (behind != ' ' && behind != '\t' && behind != '(') continue;
      const std::size_t line = text.rfind('\n', place);
      begin = std::min(begin, line == text.npos ? 0 : line + 1);
      break;
    }
  return text.substr(begin);
}

int show(const CommandLine& line, const std::string& path) {
  const auto texts = texts_of(path);
  if (!texts) return complain(texts.error().message);
  const bool graph =
      line.has(Opt::output_control_flow_graph) || line.has(Opt::output_control_flow_graph_with_basic_blocks);
  if (graph)
    std::cout << "digraph f {\n  fontname=\"Courier\"\n  node [fontname=\"Courier\", shape=\"record\"];\n";
  for (const std::string& text : *texts) {
    if (!graph) {
      std::cout << (line.has(Opt::print_code) ? functions_of(text) : std::string_view(text)) << '\n';
      continue;
    }
    const auto image = image_of(path, text);
    if (!image) return complain("'" + path + "': " + image.error().message);
    Graph nodes(text, line.has(Opt::print_instr_offsets_cfg));
    for (const module::Function& function : (*image)->functions)
      if (function.defined) nodes.add(function);
    std::cout << nodes.text();
  }
  if (graph) std::cout << "}\n";
  std::cout.flush();
  return std::cout ? 0 : complain("the output cannot be written");
}

int run(std::vector<std::string> words) {
  const Result<CommandLine, int> line = begin(program, std::move(words));
  if (!line) return line.error();
  return show(*line, line->inputs()[0]);
}

}  // namespace
}  // namespace heddle::driver::nvdisasm

// What bin/nvdisasm calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_nvdisasm(int argc, char** argv) {
  return heddle::driver::nvdisasm::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
