// An image as text. One fact a line where tests may want it alone; order is that of the image.
#include <algorithm>
#include <string>
#include <string_view>

#include "module/link.h"

namespace heddle::module {

namespace {

std::string hex(uint64_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

std::string_view name(Space space) {
  switch (space) {
    case Space::generic: return "generic";
    case Space::global: return "global";
    case Space::const_: return "const";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::param: return "param";
  }
  return "";
}

std::string_view name(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::memory: return "memory";
    case SymbolKind::texture: return "texture";
    case SymbolKind::sampler: return "sampler";
    case SymbolKind::surface: return "surface";
  }
  return "";
}

std::string extent(const uint32_t (&of)[3]) {
  return std::to_string(of[0]) + " " + std::to_string(of[1]) + " " + std::to_string(of[2]);
}

class Dump {
 public:
  explicit Dump(const Image& image) : image_(image) {}

  std::string run() {
    header();
    owned_.resize(image_.functions.size());
    for (uint32_t i = 0; i < image_.symbols.size(); ++i) {
      if (image_.symbols[i].owner != none)
        owned_[image_.symbols[i].owner].push_back(i);
      else
        symbol(i, "");
    }
    for (uint32_t i = 0; i < image_.functions.size(); ++i) function(i);
    return std::move(out_);
  }

 private:
  Dump& operator<<(std::string_view text) {
    out_ += text;
    return *this;
  }
  Dump& operator<<(uint64_t number) {
    out_ += std::to_string(number);
    return *this;
  }

  void header() {
    *this << "image version " << image_.version.major << "." << image_.version.minor << " target "
          << (image_.target != nullptr ? image_.target->name : "none") << " address_size "
          << image_.address_bits << (image_.unified_textures ? " texmode_unified" : " texmode_independent")
          << (image_.debug ? " debug" : "") << (image_.map_f64_to_f32 ? " map_f64_to_f32" : "") << "\n";
    for (std::size_t i = 0; i < image_.units.size(); ++i)
      *this << "unit " << i << " " << image_.units[i].name << "\n";
    for (std::size_t i = 1; i < image_.files.size(); ++i)
      *this << "file " << i << " " << image_.files[i] << "\n";
    if (image_.static_local_bytes != 0) *this << "static_local " << image_.static_local_bytes << "\n";
  }

  void symbol(uint32_t index, std::string_view indent) {
    const Symbol& s = image_.symbols[index];
    *this << indent << "symbol " << index << " " << s.name << ": "
          << (s.kind == SymbolKind::memory ? name(s.space) : name(s.kind));
    *this << " ." << isa::info(s.type).name;
    if (s.vector > 1) *this << " v" << s.vector;
    *this << " size " << s.size << " align " << s.align;
    if (s.visible) *this << " visible";
    if (s.managed) *this << " managed";
    if (s.external) *this << " external";
    if (s.dynamic_shared) *this << " dynamic";
    if (s.bank != 0) *this << " bank " << s.bank;
    if (s.space == Space::local || s.space == Space::param) *this << " at " << s.offset;
    if (image_.units.size() > 1) *this << " unit " << s.unit;
    *this << "\n";
    for (std::size_t row = 0; row < s.init.size(); row += 16) {
      *this << indent << "  +" << row << ":";
      for (std::size_t i = row; i < std::min(row + 16, s.init.size()); ++i) {
        const auto byte = std::to_integer<unsigned>(s.init[i]);
        *this << " " << std::string_view(&"0123456789abcdef"[byte >> 4], 1)
              << std::string_view(&"0123456789abcdef"[byte & 15], 1);
      }
      *this << "\n";
    }
    for (const Relocation& r : s.relocations) {
      *this << indent << "  +" << r.offset << ": " << (r.generic ? "generic " : "")
            << (r.symbol != none ? image_.symbols[r.symbol].name : image_.functions[r.function].name);
      if (r.addend != 0) *this << "+" << r.addend;
      if (r.shift != 0 || r.bytes == 1) *this << " byte " << r.shift;
      *this << " in " << r.bytes << (r.bytes == 1 ? " byte\n" : " bytes\n");
    }
    for (const auto& [key, value] : s.fields) *this << indent << "  " << key << " = " << value << "\n";
  }

  void parameters(std::string_view word, const std::vector<Parameter>& list) {
    for (const Parameter& p : list) {
      *this << "  " << word << " " << p.name << ": ." << isa::info(p.type).name;
      if (p.in_register) {
        *this << " register " << p.reg << "\n";
        continue;
      }
      *this << " size " << p.size << " align " << p.align << " at " << p.offset;
      if (p.pointer) *this << " ptr " << name(p.pointee) << " align " << p.pointee_align;
      *this << "\n";
    }
  }

  void function(uint32_t index) {
    const Function& f = image_.functions[index];
    *this << (f.entry ? "entry " : "function ") << index << " " << f.name;
    if (f.visible) *this << " visible";
    if (!f.defined) *this << " undefined";
    if (f.recursive) *this << " recursive";
    if (f.address_taken) *this << " address_taken";
    if (f.signature.noreturn || f.limits.no_return) *this << " noreturn";
    if (image_.units.size() > 1) *this << " unit " << f.unit;
    *this << "\n";
    parameters("result", f.signature.results);
    parameters("param", f.signature.params);
    if (!f.defined) return;
    limits(f.limits);
    *this << "  registers " << f.register_slots << " frame " << f.frame_bytes << " align " << f.frame_align
          << "\n";
    for (const RegisterInfo& r : f.registers)
      *this << "  reg " << r.name << " ." << isa::info(r.type).name << " slot " << r.slot << "\n";
    for (uint32_t owned : owned_[index]) symbol(owned, "  ");
    shared(f);
    if (!f.callees.empty()) {
      *this << "  calls";
      for (uint32_t callee : f.callees) *this << " " << image_.functions[callee].name;
      *this << "\n";
    }
    for (const std::string& pragma : f.pragmas) *this << "  pragma \"" << pragma << "\"\n";
    for (std::size_t t = 0; t < f.tables.size(); ++t) {
      *this << "  table " << t << ":";
      for (uint32_t target : f.tables[t]) *this << " " << target;
      *this << "\n";
    }
    for (std::size_t i = 0; i < f.prototypes.size(); ++i) {
      *this << "  prototype " << i << "\n";
      parameters("  result", f.prototypes[i].results);
      parameters("  param", f.prototypes[i].params);
    }
    for (uint32_t block = 0; block < f.blocks.size(); ++block) blocks(f, block);
  }

  void limits(const Limits& l) {
    if (l.max_threads[0] != 0) *this << "  maxntid " << extent(l.max_threads) << "\n";
    if (l.required_threads[0] != 0) *this << "  reqntid " << extent(l.required_threads) << "\n";
    if (l.min_blocks != 0) *this << "  minnctapersm " << l.min_blocks << "\n";
    if (l.max_registers != 0) *this << "  maxnreg " << l.max_registers << "\n";
    if (l.required_cluster[0] != 0) *this << "  reqnctapercluster " << extent(l.required_cluster) << "\n";
    if (l.max_cluster_rank != 0) *this << "  maxclusterrank " << l.max_cluster_rank << "\n";
    if (l.explicit_cluster) *this << "  explicitcluster\n";
    if (l.blocks_are_clusters) *this << "  blocksareclusters\n";
  }

  void shared(const Function& f) {
    if (f.shared_layout.empty()) return;
    *this << "  shared " << f.static_shared_bytes << (f.dynamic_shared ? " dynamic" : "") << ":";
    for (const Function::SharedPlace& place : f.shared_layout)
      *this << " " << image_.symbols[place.symbol].name << "@" << place.offset;
    *this << "\n";
  }

  void blocks(const Function& f, uint32_t index) {
    const Block& b = f.blocks[index];
    *this << "  block " << index << ":";
    if (!b.successors.empty()) {
      *this << " to";
      for (uint32_t to : b.successors) *this << " " << to;
    }
    *this << " order " << b.order;
    if (b.latch != none) *this << " latch " << b.latch;
    *this << "\n";
    for (uint32_t i = b.first; i < b.end; ++i) instruction(f, i);
  }

  void instruction(const Function& f, uint32_t index) {
    const Instruction& in = f.code[index];
    *this << "    " << index << ": ";
    if (in.guard != none) *this << "@" << (in.guard_negated ? "!" : "") << "$" << in.guard << " ";
    *this << image_.mnemonics[in.mnemonic].text;
    for (uint32_t i = 0; i < in.operand_count; ++i) {
      *this << (i == 0 ? " " : ", ");
      operand(f, f.operands[in.first_operand + i]);
    }
    if (in.line != 0) line(f, in.line);
    *this << "\n";
  }

  void line(const Function& f, uint32_t index) {
    *this << " ;";
    for (std::string_view word = " "; index != 0; index = f.lines[index].inlined_at, word = " in ") {
      const LineEntry& l = f.lines[index];
      *this << word;
      if (l.inlined_function != 0) *this << image_.strings[l.inlined_function] << " ";
      *this << (l.file < image_.files.size() ? image_.files[l.file] : "") << ":" << l.line << ":" << l.column;
    }
  }

  // Registers are $slot, with their own type where it is of another width than the operand's.
  void operand(const Function& f, const Operand& o) {
    if (o.negated) *this << (o.type == isa::Type::pred ? "!" : "-");
    switch (o.kind) {
      case OperandKind::absent: *this << "absent"; return;
      case OperandKind::sink: *this << "_"; return;
      case OperandKind::reg: *this << "$" << o.reg; break;
      case OperandKind::immediate: *this << hex(o.value); break;
      case OperandKind::special: *this << isa::info(o.special).name; break;
      case OperandKind::symbol:
        *this << image_.symbols[o.index].name;
        if (o.value != 0) offset(o.value);
        break;
      case OperandKind::function: *this << image_.functions[o.index].name; return;
      case OperandKind::address: return address(o);
      case OperandKind::vector: return children(f, o, "{", "}");
      case OperandKind::list: return children(f, o, "(", ")");
      case OperandKind::bracket: return children(f, o, "[", "]");
      case OperandKind::label: *this << "-> " << o.value; return;
      case OperandKind::table: *this << "table " << o.index; return;
      case OperandKind::prototype: *this << "prototype " << o.index; return;
    }
    if (o.component != isa::Word::none) *this << "." << isa::spelling(o.component);
    if (o.type != isa::Type::none) *this << ":" << isa::info(o.type).name;
    if (o.kind == OperandKind::reg && isa::info(o.declared).bits != isa::info(o.type).bits)
      *this << "/" << isa::info(o.declared).name;
  }

  void offset(uint64_t value) {
    const bool negative = static_cast<int64_t>(value) < 0;
    *this << (negative ? "-" : "+") << (negative ? 0 - value : value);
  }

  void address(const Operand& o) {
    *this << name(o.space) << "[";
    if (o.reg != none) *this << "$" << o.reg;
    if (o.index != none) *this << image_.symbols[o.index].name;
    if (o.value != 0 || (o.reg == none && o.index == none)) offset(o.value);
    *this << "]";
  }

  void children(const Function& f, const Operand& o, std::string_view open, std::string_view close) {
    *this << open;
    for (uint32_t i = 0; i < o.child_count; ++i) {
      if (i != 0) *this << ", ";
      operand(f, f.operands[o.first_child + i]);
    }
    *this << close;
  }

  const Image& image_;
  std::vector<std::vector<uint32_t>> owned_;  // symbols by function
  std::string out_;
};

}  // namespace

std::string dump(const Image& image) { return Dump(image).run(); }

}  // namespace heddle::module
