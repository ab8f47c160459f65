#include "support/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/version.h"

namespace heddle {

void report_bug(const char* file, int line, const char* condition, std::string_view what) {
  std::string text = "heddle ";
  text += version();
  text += ": bug at " + std::string(file) + ':' + std::to_string(line) + ": ";
  text += what;
  text += " (" + std::string(condition) + ")\n";
  text += "heddle: this is a mistake in Heddle, not in the program: please report it with these lines\n";
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace heddle
