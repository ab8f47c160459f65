#include "support/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace heddle {

Result<std::string> read_file(const std::string& path) {
  const auto failed = [&] { return Error{"cannot read '" + path + "': " + std::strerror(errno)}; };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  std::string bytes;
  char buffer[1 << 16];
  ssize_t count = 0;
  while ((count = read(file, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) bytes.append(buffer, static_cast<std::size_t>(count));
  if (count < 0) {
    const Error error = failed();
    close(file);
    return error;
  }
  close(file);
  return bytes;
}

}  // namespace heddle
