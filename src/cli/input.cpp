#include "cli/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>

namespace heddle::cli {

Result<std::shared_ptr<const SourceText>> read_source(std::string_view name, Console& console) {
  if (name == "-") {
    std::string text{std::istreambuf_iterator<char>(console.in), std::istreambuf_iterator<char>()};
    return std::make_shared<const SourceText>("<stdin>", std::move(text));
  }
  const std::string path(name);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{"cannot read '" + path + "': it is a folder"};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) {
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    if (!ignored && size < UINT32_MAX) {
      text.resize(size);
      in.read(text.data(), static_cast<std::streamsize>(size));
      text.resize(static_cast<std::size_t>(in.gcount()));
    }
    // Pipes have no size, and files grow.
    if (in) text.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (!in && !in.eof()) {
    return Error{"cannot read '" + path + "': " + (errno != 0 ? std::strerror(errno) : "no reason is known")};
  }
  return std::make_shared<const SourceText>(path, std::move(text));
}

}  // namespace heddle::cli
