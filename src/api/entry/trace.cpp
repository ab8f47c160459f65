#include "api/entry/trace.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "support/setting.h"

namespace heddle::entry {

namespace {

enum class Wish : uint8_t { nothing, stubs, calls };

Wish read_wish() {
  const char* text = setting("HEDDLE_TRACE");
  Wish wish = Wish::nothing;
  for (std::string_view rest = text == nullptr ? "" : text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    if (word == "api") wish = Wish::calls;
    if (word == "stubs" && wish == Wish::nothing) wish = Wish::stubs;
    rest = comma == rest.npos ? "" : rest.substr(comma + 1);
  }
  return wish;
}
Wish wish() {
  static const Wish value = read_wish();
  return value;
}

std::string number_text(Argument::Kind kind, uint64_t bits, double number) {
  char text[40];
  switch (kind) {
    case Argument::Kind::signed_integer:
      std::snprintf(text, sizeof text, "%" PRId64, static_cast<int64_t>(bits));
      break;
    case Argument::Kind::unsigned_integer: std::snprintf(text, sizeof text, "%" PRIu64, bits); break;
    case Argument::Kind::floating: std::snprintf(text, sizeof text, "%.9g", number); break;
    case Argument::Kind::pointer:
      if (bits == 0) return "NULL";
      std::snprintf(text, sizeof text, "0x%" PRIx64, bits);
      break;
    case Argument::Kind::aggregate: return "{...}";
  }
  return text;
}

// What a pointer that the function wrote through points to now.
std::string pointee_text(const Argument& argument) {
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(argument.bits), argument.bytes);
  double number = 0;
  if (argument.pointee == Argument::Kind::floating) {
    float single = 0;
    std::memcpy(&single, &bits, sizeof single);
    std::memcpy(&number, &bits, sizeof number);
    if (argument.bytes == sizeof single) number = single;
  }
  const unsigned unused = 64U - 8U * argument.bytes;
  if (argument.pointee == Argument::Kind::signed_integer)
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  return number_text(argument.pointee, bits, number);
}

std::string string_text(uint64_t address) {
  if (address == 0) return "NULL";
  constexpr std::size_t shown = 80;
  const char* text = reinterpret_cast<const char*>(address);
  const std::size_t length = strnlen(text, shown + 1);
  return '"' + std::string(text, length > shown ? shown : length) + (length > shown ? "..." : "") + '"';
}

void append(std::string& line, std::string_view name, const Argument& argument, bool succeeded) {
  const char mark = name.empty() ? ' ' : name.front();
  if (mark == '*' || mark == '"') name.remove_prefix(1);
  line.append(name).append("=");
  line +=
      mark == '"' ? string_text(argument.bits) : number_text(argument.kind, argument.bits, argument.number);
  if (mark == '*' && succeeded && argument.bits != 0 && argument.bytes != 0)
    line += " -> " + pointee_text(argument);
}

}  // namespace

std::string value_text(const Argument& value) { return number_text(value.kind, value.bits, value.number); }

bool tracing() { return wish() == Wish::calls; }

std::string call_text(const Record& record, std::string_view outcome, bool succeeded,
                      ArgumentList arguments) {
  std::string line = record.name;
  line += '(';
  std::string_view names = record.parameters;
  bool first = true;
  for (const Argument& argument : arguments) {
    const std::size_t comma = names.find(',');
    if (!first) line += ", ";
    first = false;
    append(line, names.substr(0, comma), argument, succeeded);
    names = comma == names.npos ? "" : names.substr(comma + 1);
  }
  return line.append(")").append(outcome.empty() ? "" : " = ").append(outcome);
}

void trace(const Record& record, std::string_view outcome, bool succeeded, ArgumentList arguments) {
  const std::string line = "heddle: api: " + call_text(record, outcome, succeeded, arguments) + '\n';
  std::fputs(line.c_str(), stderr);  // one call: lines of threads do not mix
}

void trace_stub(const Record& record) {
  if (wish() == Wish::nothing) return;
  // Never destroyed: programs call until the very end of a process.
  static auto& mutex = *new std::mutex;
  static auto& told = *new std::unordered_set<std::string_view>;
  const std::lock_guard lock(mutex);
  if (!told.insert(record.name).second) return;
  const std::string line = std::string("heddle: ") + record.name + " is not implemented\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace heddle::entry
