// A right program with a few words exchanged, or any text: when it is still taken, it runs. Every end but a
// crash or a hang is good.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "exec/interp/program_runner.h"
#include "ptx/random_text.h"

namespace {

using namespace heddle;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The edits come behind the declarations at the top of the text, most of which everything depends on.
std::string mutate(const std::string& text, ptx::testing::Random choose) {
  static constexpr std::string_view numbers[] = {"0",  "1",          "-1",   "4", "31",
                                                 "32", "0xFFFFFFFF", "4096", "7", "65536"};
  std::vector<std::string> words = words_of(text);
  std::vector<std::size_t> places;
  for (std::size_t i = 20; i < words.size(); ++i)
    if (is_word(words[i][0])) places.push_back(i);
  if (places.empty()) return text;
  const auto place = [&] { return places[choose(static_cast<uint32_t>(places.size()))]; };
  for (uint32_t edits = 1 + choose(4); edits > 0; --edits) {
    std::string& word = words[place()];
    const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    switch (choose(4)) {
      case 0:
        if (number) word = numbers[choose(std::size(numbers))];
        break;
      case 1: {  // the same kind of word: a register, a number, a name
        for (int tries = 0; tries < 20; ++tries) {
          const std::string& other = words[place()];
          if (other.empty() || word.empty() || other[0] != word[0] || other == word) continue;
          word = std::string(other);
          break;
        }
        break;
      }
      case 2: std::swap(word, words[place()]); break;
      default: word.clear(); break;
    }
  }
  std::string out;
  for (const std::string& word : words) out += word;
  return out;
}

}  // namespace

// A zero byte first: the rest is the text itself. Otherwise seeds and choices.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  exec::interp::ProgramRun run{{2}, {32}, std::size_t{256} << 10, "h200", std::chrono::milliseconds(100)};
  std::string text;
  if (size > 0 && data[0] == 0) {
    text.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  } else {
    ptx::testing::RandomProgramOptions options;
    options.most_threads = 32;
    options.most_statements = 12;
    uint64_t seed = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, 4); ++i) seed = seed << 8 | data[i];
    if (size > 0 && data[0] % 2 == 1) run.device = "gtx980";
    const std::size_t used = std::min<std::size_t>(size, 4);
    text = mutate(ptx::testing::random_program(data + used, size - used, options).text,
                  ptx::testing::Random(seed));
  }
  exec::interp::run_program(text, run);
  return 0;
}
