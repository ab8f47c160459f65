// cu++filt: names of C++ as a program's source has them.
#include <cctype>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/demangle.h"
#include "support/version.h"

namespace heddle::filt {
namespace {

constexpr std::string_view usage =
    "Usage: cu++filt [options] [names ...]\n"
    "Options:\n"
    "  -h  Display this message.\n"
    "  -_, Specify if names have an extra underscore.\n"
    "  -p, Don't display function parameters.\n"
    "  -v, Display the version number of this tool.\n"
    "If names are provided, they are demangled.  Otherwise filters standard input.\n";

struct Options {
  bool underscore = false;  // before each name
  bool parameters = true;
};

// Where the bracket that closes at the end of the text opens; npos: none does.
std::size_t opening(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// "void f<int>(int) const" -> "f<int>": without what a function returns, takes and promises.
std::string name_alone(std::string_view text) {
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view word : {" const", " volatile", " &", " &&", " noexcept"})
      if (text.ends_with(word)) {
        text.remove_suffix(word.size());
        more = true;
      }
  }
  if (!text.ends_with(')')) return std::string(text);
  const std::size_t open = opening(text);
  // "operator()" has brackets in its name.
  if (open == std::string_view::npos || text.substr(0, open).ends_with("operator")) return std::string(text);
  text = text.substr(0, open);
  if (const std::size_t conversion = text.find("operator "); conversion != std::string_view::npos)
    return std::string(text);
  // What is returned stands before the last blank outside of brackets.
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == '>' || c == ')') ++depth;
    if (c == '<' || c == '(') --depth;
    if (c == ' ' && depth == 0) return std::string(text.substr(i + 1));
  }
  return std::string(text);
}

// What is no mangled name stays as it is.
std::string demangled(std::string_view word, const Options& options) {
  std::string name(word);
  if (options.underscore) {
    if (!name.starts_with('_')) return name;
    name.erase(0, 1);
  }
  // A type is no name: "i" is not "int" here.
  if (!name.starts_with("_Z")) return std::string(word);
  const std::string text = heddle::demangled(name);
  if (text == name) return std::string(word);
  return options.parameters ? text : name_alone(text);
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

void filter(std::istream& in, std::ostream& out, const Options& options) {
  std::string line;
  while (std::getline(in, line)) {
    std::string shown;
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && in_name(line[end])) ++end;
      shown += demangled(std::string_view(line).substr(i, end - i), options);
      if (end < line.size()) shown += line[end++];
      i = end;
    }
    out << shown;
    // The last line may lack its end.
    if (!in.eof()) out << '\n';
    out.flush();
  }
}

int run(const std::vector<std::string_view>& words) {
  Options options;
  std::vector<std::string_view> names;
  for (const std::string_view word : words) {
    if (word == "-h") {
      std::cout << usage;
      return 0;
    }
    if (word == "-v") {
      std::cout << "cu++filt of Heddle " << version() << '\n';
      return 0;
    }
    if (word == "-_") {
      options.underscore = true;
    } else if (word == "-p") {
      options.parameters = false;
    } else if (word.starts_with('-')) {
      std::cerr << "Unrecognized option: " << word << '\n' << usage;
      return 2;
    } else {
      names.push_back(word);
    }
  }
  if (names.empty()) filter(std::cin, std::cout, options);
  for (const std::string_view name : names) std::cout << demangled(name, options) << '\n';
  std::cout.flush();
  return std::cout ? 0 : 1;
}

}  // namespace
}  // namespace heddle::filt

// What bin/cu++filt calls (src/driver/start/alone.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_filt(int argc, char** argv) {
  return heddle::filt::run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
