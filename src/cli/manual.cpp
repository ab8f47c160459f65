// The manual page of `heddle`, made from the records of the commands.
#include <string>

#include "cli/command.h"

namespace heddle::cli {

namespace {

// Text as troff prints it: no escapes, no requests, and hyphens that can be searched for and copied.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

// Paragraphs of details stay as they are laid out: some are tables.
void append_details(std::string& out, std::string_view details) {
  if (!details.empty()) out += ".PP\n.nf\n" + escaped(details) + "\n.fi\n";
}

void append_command(std::string& out, const Command& command) {
  out += ".SS heddle " + escaped(command.name) + '\n' + bold("heddle " + std::string(command.name));
  if (!command.options.empty()) out += " [" + italic("options") + "]";
  if (!command.operands.empty()) out += ' ' + italic(command.operands);
  out += "\n.PP\n" + escaped(command.summary) + '\n';
  append_details(out, command.details);
  for (const Option& option : command.options) {
    out += ".TP\n" + bold(option.name);
    if (!option.value.empty()) out += ' ' + italic(option.value);
    out += '\n' + escaped(option.help) + '\n';
  }
}

}  // namespace

std::string manual(const CommandTable& table) {
  std::string out =
      ".\\\" Made by heddle --manual\n.TH HEDDLE 1 \"\" Heddle \"Heddle\"\n"
      ".SH NAME\nheddle \\- CUDA and OpenCL without a GPU\n"
      ".SH SYNOPSIS\n\\fBheddle\\fR \\fIcommand\\fR [\\fIarguments\\fR]\n"
      ".SH DESCRIPTION\nRuns, checks and prints PTX, runs programs that were built for CUDA or OpenCL, and "
      "shows devices and what "
      "is\nkept on disk. After any command, \\fB\\-\\-help\\fR prints its help.\n.SH COMMANDS\n";
  for (const Command* command : table.commands) append_command(out, *command);
  out += ".SH SEE ALSO\n\\fBnvcc\\fR(1), \\fBptxas\\fR(1), \\fBfatbinary\\fR(1), \\fBcuobjdump\\fR(1)\n";
  return out;
}

}  // namespace heddle::cli
