// Bad input becomes diagnostics: a place, a rule, the offending value and the limit, and perhaps a note.
// Several per file.
//     k.ptx:14:9: error: shared memory of 'reduce' is 65536 bytes, device 'gtx480' (sm_20) allows 49152
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/source.h"

namespace heddle {

enum class Severity : uint8_t { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  SourceSpan span;
  std::string message;
  std::string rule;               // where the rule stands: "PTX ISA 9.7.1.1 add", may be empty
  std::vector<Diagnostic> notes;  // severity note
};

class Diagnostics {
 public:
  explicit Diagnostics(std::size_t error_limit = 100) : error_limit_(error_limit) {}
  // The reference is good until the next call of error or warning. Errors past the limit are dropped, and so
  // are warnings once there are as many as errors may be.
  Diagnostic& error(SourceSpan, std::string message, std::string rule = {});
  Diagnostic& warning(SourceSpan, std::string message, std::string rule = {});
  static void note(Diagnostic&, SourceSpan, std::string message);
  bool has_errors() const { return errors_ != 0; }
  std::size_t error_count() const { return errors_; }
  std::size_t warning_count() const { return warnings_; }
  bool full() const { return errors_ >= error_limit_; }  // the reader stops; one line says that it did
  const std::vector<Diagnostic>& all() const { return all_; }
  // file:line:column: severity: message [rule], the source line, a caret line, then the notes.
  std::string render(const SourceText&) const;

 private:
  Diagnostic& add(Severity, SourceSpan, std::string message, std::string rule);
  std::vector<Diagnostic> all_;
  Diagnostic dropped_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t error_limit_;
};

}  // namespace heddle
