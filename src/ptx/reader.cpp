#include "ptx/reader.h"

#include "ptx/quote.h"

namespace heddle::ptx {

bool Reader::expect(Tok kind, std::string_view what, std::string_view rule) {
  if (accept(kind)) return true;
  if (at(Tok::error)) return false;
  // What is missing is missing right behind the token before, perhaps lines above the one found.
  const bool same_place = last_end_ == token_.begin;
  std::string message = "expected " + std::string(spelling(kind)) + " " + std::string(what);
  if (at(Tok::end)) message += ", found the end of the file";
  if (!at(Tok::end)) message += ", found " + quoted(text());
  return fail(same_place ? token_.span() : SourceSpan{last_end_, last_end_}, std::move(message), rule);
}

bool Reader::unexpected(std::string_view what, std::string_view rule) {
  if (at(Tok::error)) return false;
  std::string message = "expected " + std::string(what) + ", found ";
  message += at(Tok::end) ? "the end of the file" : quoted(text());
  return fail(token_.span(), std::move(message), rule);
}

bool Reader::fail(SourceSpan span, std::string message, std::string_view rule) {
  diagnostics_.error(span, std::move(message), std::string(rule));
  return false;
}

}  // namespace heddle::ptx
