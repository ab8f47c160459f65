#include "cli/kernel_argument.h"

#include <charconv>
#include <optional>

#include "cli/value_text.h"
#include "support/read_file.h"

namespace heddle::cli {

namespace {

bool is_mode(std::string_view word) { return word == "in" || word == "out" || word == "inout"; }

bool is_identifier(std::string_view word) {
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return false;
  for (const char c : word)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'))
      return false;
  return true;
}

Result<isa::Type> read_type(std::string_view name) {
  const isa::Type type = element_type(name);
  if (type != isa::Type::none) return type;
  return Error{"'" + std::string(name) +
               "' is no type; there are u8 to u64, s8 to s64, b8 to b64, f16, bf16, "
               "f32 and f64"};
}

Result<std::vector<std::byte>> bytes_of(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto* data = reinterpret_cast<const std::byte*>(text->data());
  return std::vector<std::byte>(data, data + text->size());
}

// `contents`: what stands behind the type, "=LIST", "*COUNT" or "@FILE", and perhaps ">FILE".
Status<> read_buffer(KernelArgument& argument, std::string_view contents) {
  const std::size_t arrow = contents.find('>');
  if (arrow != contents.npos) {
    if (!argument.shown) return Error{"a buffer that is only read is not written to a file"};
    argument.file = contents.substr(arrow + 1);
    if (argument.file.empty()) return Error{"'>' wants a file"};
    contents = contents.substr(0, arrow);
  }
  if (contents.starts_with('*')) {
    const std::string_view number = contents.substr(1);
    uint64_t count = 0;
    const auto result = std::from_chars(number.data(), number.data() + number.size(), count);
    if (result.ec != std::errc() || result.ptr != number.data() + number.size() || count > uint64_t{1} << 40)
      return Error{"'" + std::string(number) + "' is no number of elements"};
    argument.bytes.resize(count * element_bytes(argument.type));
  } else if (contents.starts_with('@')) {
    auto bytes = bytes_of(std::string(contents.substr(1)));
    if (!bytes) return bytes.error();
    argument.bytes = std::move(*bytes);
  } else if (contents.starts_with('=')) {
    auto bytes = parse_values(argument.type, contents.substr(1));
    if (!bytes) return bytes.error();
    argument.bytes = std::move(*bytes);
  } else {
    return Error{"a buffer is TYPE=LIST, TYPE*COUNT or TYPE@FILE"};
  }
  return Unit{};
}

Status<> read_argument(KernelArgument& argument, std::string_view text) {
  std::size_t colon = text.find(':');
  if (colon != text.npos && is_identifier(text.substr(0, colon)) && !is_mode(text.substr(0, colon))) {
    argument.name = text.substr(0, colon);
    text = text.substr(colon + 1);
    colon = text.find(':');
  }
  if (text == "null") {
    argument.kind = KernelArgument::Kind::null;
    return Unit{};
  }
  const std::string_view mode = text.substr(0, std::min(colon, text.size()));
  const bool buffer = colon != text.npos && is_mode(mode);
  if (buffer) text = text.substr(colon + 1);
  const std::size_t end = std::min(text.find_first_of("=*@>"), text.size());
  const Result<isa::Type> type = read_type(text.substr(0, end));
  if (!type) return type.error();
  argument.type = *type;
  if (buffer) {
    argument.kind = KernelArgument::Kind::buffer;
    argument.shown = mode != "in";
    return read_buffer(argument, text.substr(end));
  }
  if (end == text.size() || text[end] != '=')
    return Error{"an argument is TYPE=VALUE, in:..., out:..., inout:... or null"};
  auto bytes = parse_values(argument.type, text.substr(end + 1));
  if (!bytes) return bytes.error();
  argument.bytes = std::move(*bytes);
  return Unit{};
}

}  // namespace

Result<KernelArgument> parse_kernel_argument(std::string_view text, std::size_t index) {
  KernelArgument argument;
  argument.name = "arg" + std::to_string(index);
  if (Status<> status = read_argument(argument, text); !status)
    return Error{"--arg '" + std::string(text) + "': " + status.error().message};
  return argument;
}

}  // namespace heddle::cli
