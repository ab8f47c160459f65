#include "support/diagnostic.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace heddle {

namespace {

constexpr std::size_t kWindow = 160;  // a longer source line is shown in part

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Bad input may hold anything; a terminal must not see it raw.
void append_visible(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (const char c : text) {
    if (is_control(c)) {
      out += "\\x";
      out += hex[static_cast<unsigned char>(c) >> 4];
      out += hex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
}

void append_line_and_caret(std::string& out, const SourceText& source, SourceSpan span, LineColumn place) {
  std::string_view line = source.line(place.line);
  std::size_t caret = std::min<std::size_t>(place.column - 1, line.size());
  const std::size_t length = span.end > span.begin ? span.end - span.begin : 1;
  const std::size_t width = std::max<std::size_t>(1, std::min(length, line.size() - caret));
  if (line.size() > kWindow) {
    const std::size_t begin = caret > kWindow / 2 ? caret - kWindow / 2 : 0;
    line = line.substr(begin, kWindow);
    caret -= begin;
  }
  if (line.empty()) return;
  out += "  ";
  for (const char c : line) out += is_control(c) ? ' ' : c;
  out += "\n  ";
  out.append(caret, ' ');
  out += '^';
  out.append(std::min(width, line.size() + 1 - caret) - 1, '~');
  out += '\n';
}

void append(std::string& out, const SourceText& source, const Diagnostic& diagnostic) {
  const LineColumn place = source.locate(diagnostic.span.begin);
  const PresumedPlace presumed = source.presume(diagnostic.span.begin);
  out += presumed.file;
  out += ':' + std::to_string(presumed.line) + ':' + std::to_string(place.column) + ": ";
  out += word(diagnostic.severity);
  out += ": ";
  append_visible(out, diagnostic.message);
  if (!diagnostic.rule.empty()) out += " [" + diagnostic.rule + ']';
  out += '\n';
  append_line_and_caret(out, source, diagnostic.span, place);
  for (const Diagnostic& note : diagnostic.notes) append(out, source, note);
}

}  // namespace

Diagnostic& Diagnostics::add(Severity severity, SourceSpan span, std::string message, std::string rule) {
  Diagnostic made{severity, span, std::move(message), std::move(rule), {}};
  std::size_t& count = severity == Severity::error ? errors_ : warnings_;
  if (count >= error_limit_) return dropped_ = std::move(made);
  ++count;
  return all_.emplace_back(std::move(made));
}

Diagnostic& Diagnostics::error(SourceSpan span, std::string message, std::string rule) {
  return add(Severity::error, span, std::move(message), std::move(rule));
}

Diagnostic& Diagnostics::warning(SourceSpan span, std::string message, std::string rule) {
  return add(Severity::warning, span, std::move(message), std::move(rule));
}

void Diagnostics::note(Diagnostic& diagnostic, SourceSpan span, std::string message) {
  diagnostic.notes.push_back({Severity::note, span, std::move(message), {}, {}});
}

std::string Diagnostics::render(const SourceText& source) const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) append(out, source, diagnostic);
  if (full() && error_limit_ != 0) {
    out += source.name() + ": error: stopped after " + std::to_string(errors_) + " errors\n";
  }
  return out;
}

}  // namespace heddle
