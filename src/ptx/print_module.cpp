// Modules as canonical text: one statement a line, blocks indented, numbers in one way.
#include "ptx/parse.h"
#include "ptx/print_text.h"

namespace heddle::ptx {

namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kValuesPerLine = 16;  // of debug data and initialisers

void append_initializer(std::string& out, const Module& module, const std::vector<Initializer>& init) {
  bool comma = false;
  std::size_t on_line = 0;
  for (const Initializer& piece : init) {
    if (piece.kind == Initializer::Kind::close) {
      out += '}';
      comma = true;
      continue;
    }
    if (comma) out += ++on_line % kValuesPerLine == 0 ? ",\n    " : ", ";
    comma = piece.kind != Initializer::Kind::open;
    if (piece.mask != 0) {
      out += "0x";
      append_hex(out, piece.mask, 1);
      out += '(';
    }
    switch (piece.kind) {
      case Initializer::Kind::integer: append_integer(out, piece.value, piece.is_unsigned); break;
      case Initializer::Kind::float32:
        out += "0f";
        append_hex(out, piece.value, 8);
        break;
      case Initializer::Kind::float64:
        out += "0d";
        append_hex(out, piece.value, 16);
        break;
      case Initializer::Kind::symbol:
      case Initializer::Kind::generic_symbol: {
        const bool generic = piece.kind == Initializer::Kind::generic_symbol;
        if (generic) out += "generic(";
        out += module.text(piece.symbol);
        if (generic) out += ')';
        if (piece.value != 0) {
          out += '+';
          append_integer(out, piece.value, false);
        }
        break;
      }
      case Initializer::Kind::open: out += '{'; break;
      case Initializer::Kind::close: break;
    }
    if (piece.mask != 0) out += ')';
  }
}

void append_attributes(std::string& out, bool managed, const std::vector<uint64_t>& unified) {
  if (!managed && unified.empty()) return;
  out += ".attribute(";
  if (managed) out += ".managed";
  if (!unified.empty()) {
    out += managed ? ", .unified(" : ".unified(";
    append_number(out, unified[0]);
    out += ", ";
    append_number(out, unified[1]);
    out += ')';
  }
  out += ") ";
}

void append_body(std::string& out, const Module& module, const Function& function) {
  out += "{\n";
  std::size_t depth = 1;
  for (const Statement& statement : function.body) {
    if (statement.kind == StatementKind::close && depth > 1) --depth;
    // Labels stand out, one step to the left.
    const bool label = statement.kind == StatementKind::label;
    out.append((label ? depth - 1 : depth) * kIndent, ' ');
    append_statement(out, module, function, statement);
    out += '\n';
    if (statement.kind == StatementKind::open) ++depth;
  }
  out += "}\n";
}

void append_function(std::string& out, const Module& module, const Function& function) {
  out += spelling(function.linkage);
  out += function.entry ? ".entry " : ".func ";
  append_attributes(out, false, function.unified);
  if (!function.signature.results.empty()) {
    append_parameters(out, module, function.signature.results, false);
    out += ' ';
  }
  out += module.text(function.name);
  append_parameters(out, module, function.signature.params, true);
  append_prototype_directives(out, function.signature);
  for (const PerformanceDirective& directive : function.directives) {
    out += "\n.";
    out += isa::info(directive.directive).name;
    for (std::size_t i = 0; i < directive.values.size(); ++i) {
      out += i == 0 ? " " : ", ";
      append_number(out, directive.values[i]);
    }
  }
  for (const uint32_t pragma : function.pragmas) out += "\n.pragma \"" + module.strings[pragma] + "\";";
  if (!function.has_body) {
    out += ";\n";
    return;
  }
  out += '\n';
  append_body(out, module, function);
}

void append_section_value(std::string& out, const Module& module, const SectionValue& value) {
  if (value.symbol == no_name) {
    append_number(out, value.number);
    return;
  }
  out += module.text(value.symbol);
  if (value.minus != no_name) {
    out += '-';
    out += module.text(value.minus);
  } else if (value.number != 0) {
    out += '+';
    append_number(out, value.number);
  }
}

void append_section(std::string& out, const Module& module, const Section& section) {
  const std::string_view line = section.old_style ? "@@DWARF " : "    ";
  out += section.old_style ? "@@DWARF .section " : ".section ";
  out += section.name;
  if (!section.attributes.empty()) out += ", " + section.attributes;
  out += section.old_style ? "\n" : "\n{\n";
  for (const SectionItem& item : section.items) {
    out += line;
    switch (item.kind) {
      case SectionItem::Kind::b8: out += section.old_style ? ".byte " : ".b8 "; break;
      case SectionItem::Kind::b16: out += section.old_style ? ".2byte " : ".b16 "; break;
      case SectionItem::Kind::b32: out += section.old_style ? ".4byte " : ".b32 "; break;
      case SectionItem::Kind::b64: out += section.old_style ? ".quad " : ".b64 "; break;
      case SectionItem::Kind::label:
        out += module.text(item.label);
        out += ':';
        break;
    }
    for (uint32_t i = 0; i < item.count; ++i) {
      if (i != 0) out += i % kValuesPerLine == 0 && !section.old_style ? ",\n        " : ", ";
      append_section_value(out, module, section.values[item.first + i]);
    }
    out += '\n';
  }
  if (!section.old_style) out += "}\n";
}

void append_file(std::string& out, const FileEntry& file) {
  out += ".file ";
  append_number(out, file.index);
  out += " \"" + file.path + '"';
  if (file.timestamp != 0 || file.size != 0) {
    out += ", ";
    append_number(out, file.timestamp);
    out += ", ";
    append_number(out, file.size);
  }
  out += '\n';
}

}  // namespace

void append_hex(std::string& out, uint64_t value, int digits) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  while (digits < 16 && value >> (4 * digits) != 0) ++digits;
  for (int i = digits - 1; i >= 0; --i) out += hex[value >> (4 * i) & 15];
}

void append_integer(std::string& out, uint64_t value, bool is_unsigned) {
  constexpr auto highest = static_cast<uint64_t>(INT64_MAX);
  if (is_unsigned && value <= highest) {
    append_number(out, value);
    out += 'U';
  } else if (is_unsigned) {
    out += "0x";
    append_hex(out, value, 16);
  } else if (value <= highest) {
    append_number(out, value);
  } else if (value == highest + 1) {
    out += "(.s64)0x8000000000000000";  // no literal of type .s64 holds it
  } else {
    out += '-';
    append_number(out, 0 - value);
  }
}

std::string_view spelling(StateSpace space) {
  switch (space) {
    case StateSpace::reg: return ".reg";
    case StateSpace::sreg: return ".sreg";
    case StateSpace::const_: return ".const";
    case StateSpace::global: return ".global";
    case StateSpace::local: return ".local";
    case StateSpace::param: return ".param";
    case StateSpace::shared: return ".shared";
    case StateSpace::tex: return ".tex";
  }
  return "";
}

std::string_view spelling(Linkage linkage) {
  switch (linkage) {
    case Linkage::none: return "";
    case Linkage::extern_: return ".extern ";
    case Linkage::visible: return ".visible ";
    case Linkage::weak: return ".weak ";
    case Linkage::common: return ".common ";
  }
  return "";
}

void append_variable(std::string& out, const Module& module, const Variable& variable) {
  out += spelling(variable.linkage);
  out += spelling(variable.space);
  if (variable.bank != Variable::no_bank) {
    out += '[';
    append_number(out, variable.bank);
    out += ']';
  }
  out += ' ';
  append_attributes(out, variable.managed, variable.unified);
  if (variable.align != 0) {
    out += ".align ";
    append_number(out, variable.align);
    out += ' ';
  }
  if (variable.vector != 1) {
    out += ".v";
    append_number(out, variable.vector);
    out += ' ';
  }
  out += '.';
  out += isa::info(variable.type).name;
  if (variable.pointer) {
    out += " .ptr";
    if (variable.pointee != StateSpace::reg) {
      out += ' ';
      out += spelling(variable.pointee);
    }
    if (variable.pointee_align != 0) {
      out += " .align ";
      append_number(out, variable.pointee_align);
    }
  }
  out += ' ';
  out += module.text(variable.name);
  if (variable.range != 0) {
    out += '<';
    append_number(out, variable.range);
    out += '>';
  }
  for (const uint64_t dim : variable.dims) {
    out += '[';
    if (dim != 0) append_number(out, dim);
    out += ']';
  }
  if (!variable.init.empty()) {
    out += " = ";
    append_initializer(out, module, variable.init);
  }
  if (!variable.fields.empty()) {
    out += " = {";
    for (const auto& [name, value] : variable.fields) {
      if (&name != &variable.fields.front().first) out += ", ";
      out += name;
      out += " = ";
      out += value;
    }
    out += '}';
  }
}

void append_parameters(std::string& out, const Module& module, const std::vector<Variable>& parameters,
                       bool lines) {
  out += '(';
  lines = lines && parameters.size() > 1;
  for (const Variable& parameter : parameters) {
    if (&parameter != &parameters.front()) out += lines ? "," : ", ";
    if (lines) out += "\n    ";
    append_variable(out, module, parameter);
  }
  out += lines ? "\n)" : ")";
}

void append_prototype_directives(std::string& out, const Prototype& prototype) {
  if (prototype.noreturn) out += " .noreturn";
  if (prototype.abi_preserve != 0) {
    out += " .abi_preserve ";
    append_number(out, prototype.abi_preserve);
  }
  if (prototype.abi_preserve_control != 0) {
    out += " .abi_preserve_control ";
    append_number(out, prototype.abi_preserve_control);
  }
}

std::string print(const Module& module) {
  std::string out = ".version ";
  append_number(out, module.version.major);
  out += '.';
  append_number(out, module.version.minor);
  if (module.target != nullptr || !module.target_options.empty()) {
    out += "\n.target ";
    if (module.target != nullptr) out += module.target->name;
    for (std::size_t i = 0; i < module.target_options.size(); ++i) {
      if (i != 0 || module.target != nullptr) out += ", ";
      out += module.target_options[i];
    }
  }
  if (module.has_address_size) {
    out += "\n.address_size ";
    append_number(out, module.address_bits);
  }
  out += '\n';
  const TopLevel* last = nullptr;
  for (const TopLevel& item : module.order) {
    // Functions and sections stand apart, variables and files in rows.
    const bool apart = item.kind == TopLevel::Kind::function || item.kind == TopLevel::Kind::section;
    if (last == nullptr || apart || last->kind != item.kind) out += '\n';
    last = &item;
    switch (item.kind) {
      case TopLevel::Kind::variable:
        append_variable(out, module, module.variables[item.index]);
        out += ";\n";
        break;
      case TopLevel::Kind::function: append_function(out, module, module.functions[item.index]); break;
      case TopLevel::Kind::file: append_file(out, module.files[item.index]); break;
      case TopLevel::Kind::section: append_section(out, module, module.sections[item.index]); break;
      case TopLevel::Kind::alias: {
        const Alias& alias = module.aliases[item.index];
        out += ".alias ";
        out += module.text(alias.name);
        out += ", ";
        out += module.text(alias.aliasee);
        out += ";\n";
        break;
      }
      case TopLevel::Kind::pragma: out += ".pragma \"" + module.strings[item.index] + "\";\n"; break;
    }
  }
  return out;
}

}  // namespace heddle::ptx
