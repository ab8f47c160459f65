#include <cstdio>
#include <string_view>

#include "support/version.h"

namespace {

constexpr const char* kHelp =
    "heddle: CUDA and OpenCL without a GPU\n"
    "\n"
    "usage: heddle <command> [arguments]\n"
    "\n"
    "  --help       this text\n"
    "  --version    the version of Heddle\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "--help";
  if (command == "--version") {
    const std::string_view version = heddle::version();
    std::printf("heddle %.*s\n", static_cast<int>(version.size()), version.data());
    return 0;
  }
  if (command == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  std::fprintf(stderr, "heddle: error: unknown command '%s'; `heddle --help` lists the commands\n", argv[1]);
  return 2;
}
