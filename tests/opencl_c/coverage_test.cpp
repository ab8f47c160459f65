// Every overload that clang's own header of OpenCL C declares has a body: the list is nobody's of ours.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "frontend/clang.h"
#include "harness.h"

namespace heddle::opencl_c {
namespace {

// What clang's preprocessor leaves of opencl-c.h for a device with everything that ours have.
std::string declarations() {
  const auto resources = frontend::resource_directory();
  EXPECT_TRUE(resources.ok());
  const std::string file = testing::TempDir() + "opencl_c_coverage.i";
  frontend::Job job;
  std::string extensions = "-cl-ext=-all";
  job.arguments = {"-x",        "cl", "-cl-std=CL3.0", "--target=nvptx64-nvidia-nvcl",
                   "-E",        "-P", "-cl-no-stdinc", "-include",
                   "opencl-c.h"};
  for (const std::string& name : target().extensions) {
    extensions += ",+" + name;
    job.arguments.push_back("-D" + name + "=1");
  }
  job.arguments.insert(job.arguments.end(), {"-Xclang", extensions, "/empty.cl", "-o", file});
  job.to_memory = false;
  job.files = {{"/empty.cl", "\n"}};
  const frontend::Product product = frontend::compile(job);
  EXPECT_TRUE(product.ok) << product.failure << (product.diagnostics.empty() ? "" : product.diagnostics[0]);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  return text.str();
}

std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const char plain = c == '\n' || c == '\t' ? ' ' : c;
    if (plain != ' ' || (!out.empty() && out.back() != ' ')) out += plain;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Without attributes, whose parentheses nest.
std::string without_attributes(const std::string& text) {
  std::string out;
  const std::string word = "__attribute__";
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, word.size(), word) != 0) {
      out += text[i++];
      continue;
    }
    int depth = 0;
    i = text.find('(', i);
    do {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      ++i;
    } while (depth > 0 && i < text.size());
  }
  return out;
}

bool is_type_word(const std::string& word) {
  static const std::regex types(
      "u?(char|short|int|long)[0-9]*|(half|float|double)[0-9]*|bool|size_t|ptrdiff_t|u?intptr_t|event_t|"
      "sampler_t|image.*|"
      "cl_mem_fence_flags|memory_.*|atomic_.*|unsigned|const|volatile|void|\\*|__.*|global|local|private|"
      "generic|constant|read_only|write_only|read_write");
  return std::regex_match(word, types);
}

// "float4 x" without the name; empty for what is no parameter of a type that a test can have.
std::string type_only(const std::string& parameter) {
  std::string spaced;
  for (const char c : parameter) spaced += c == '*' ? std::string(" * ") : std::string(1, c);
  std::vector<std::string> words;
  std::string word;
  for (const char c : squeezed(spaced) + " ") {
    if (c != ' ')
      word += c;
    else if (!word.empty())
      words.push_back(std::move(word)), word.clear();
  }
  if (words.size() > 1 && !is_type_word(words.back())) words.pop_back();
  std::string type;
  for (const std::string& w : words) type += (type.empty() ? "" : " ") + w;
  return type;
}

TEST(Coverage, EveryDeclaredOverloadHasABody) {
  const std::regex prototype("((?:unsigned |const )?\\w+(?: ?\\*)?) (\\w+)\\((.*)\\)");
  // Not there, as the page on OpenCL C says; events are tested with copies.
  const std::regex absent("pipe|queue|enqueue|kernel|ndrange|msaa|event|reserve|mipmap|typedef|printf");
  std::vector<std::string> wrappers;
  std::string statement;
  for (const char c : without_attributes(declarations())) {
    if (c != ';') {
      statement += c;
      continue;
    }
    const std::string text = squeezed(statement);
    statement.clear();
    std::smatch match;
    if (std::regex_search(text, absent) || !std::regex_match(text, match, prototype)) continue;
    std::string parameters, arguments, one;
    std::size_t count = 0;
    for (const char p : match[3].str() + ",") {
      if (p != ',') {
        one += p;
        continue;
      }
      const std::string type = type_only(one);
      one.clear();
      if (type.empty() || type == "void") continue;
      const std::string name = "a" + std::to_string(count);
      parameters += (count == 0 ? "" : ", ") + type + " " + name;
      arguments += (count++ == 0 ? "" : ", ") + name;
    }
    wrappers.push_back(match[1].str() + " use_" + std::to_string(wrappers.size()) + "(" + parameters +
                       ") { " + (match[1] == "void" ? "" : "return ") + match[2].str() + "(" + arguments +
                       "); }\n");
  }
  EXPECT_GT(wrappers.size(), 12000U);
  constexpr std::size_t together = 2000;
  for (std::size_t first = 0; first < wrappers.size(); first += together) {
    std::string source = prelude;
    for (std::size_t i = first; i < std::min(wrappers.size(), first + together); ++i) source += wrappers[i];
    const frontend::OpenClResult built = frontend::build_opencl(target(), source, "-cl-std=CL3.0 -w");
    ASSERT_TRUE(built.ok()) << built.log.substr(0, 2000);
  }
}

}  // namespace
}  // namespace heddle::opencl_c
