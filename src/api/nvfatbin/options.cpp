#include "api/nvfatbin/options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::nvfatbin {

namespace {

using fatbin::Compression;
using fatbin::Host;

// nvFatbin, "Supported Options". An option and its value are one word.
struct Option {
  std::string_view text;
  void (*apply)(Options&);
};
void nothing(Options&) {}
constexpr std::array options{
    Option{"-64", [](Options& o) { o.wide = true; }},
    Option{"-32", [](Options& o) { o.wide = false; }},
    Option{"-g", [](Options& o) { o.debug = true; }},
    Option{"-compress=true", nothing},
    Option{"-compress=false", [](Options& o) { o.compression = Compression::none; }},
    Option{"-compress-mode=default", [](Options& o) { o.compression = Compression::zstd; }},
    Option{"-compress-mode=size", [](Options& o) { o.compression = Compression::zstd; }},
    Option{"-compress-mode=balance", [](Options& o) { o.compression = Compression::zstd; }},
    Option{"-compress-mode=speed", [](Options& o) { o.compression = Compression::lz4; }},
    Option{"-compress-mode=none", [](Options& o) { o.compression = Compression::none; }},
    Option{"-host=linux", [](Options& o) { o.host = Host::linux; }},
    Option{"-host=windows", [](Options& o) { o.host = Host::windows; }},
    Option{"-host=mac", [](Options& o) { o.host = Host::mac; }},
    // Machine code is compressed with all else where it is compressed at all, and PTX is the same for CUDA
    // and OpenCL, linked or to be linked.
    Option{"-compress-all", nothing},
    Option{"-cuda", nothing},
    Option{"-opencl", nothing},
    Option{"-c", nothing},
};

}  // namespace

Result<Options> read_options(std::span<const char* const> list) {
  Options result;
  for (const char* const text : list) {
    const auto found = std::ranges::find(options, std::string_view(text), &Option::text);
    if (found == options.end()) return Error{"unknown option '" + std::string(text) + "'"};
    found->apply(result);
  }
  return result;
}

}  // namespace heddle::nvfatbin
