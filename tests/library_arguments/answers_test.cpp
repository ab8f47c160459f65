// One bad argument at a time, of every function that an H200 was asked about: the status is the device's, or
// the one that differences.txt has for Heddle. No call ends the process.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "baseline.h"

namespace heddle::library_arguments {
namespace {

// What was said of one function: cases by their answers. "7": a status; "0!": a status, and a fault when the
// work ran; "x": the library ended the process.
using Answers = std::map<std::string, std::string>;  // of "m=-1" and the like
std::map<std::string, Answers> read(const char* path) {
  std::map<std::string, Answers> all;
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/" + path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("#") || colon == line.npos) continue;
    Answers& answers = all[line.substr(0, colon)];
    std::istringstream words(line.substr(colon + 2));
    std::string answer, word;
    for (bool begins = true; words >> word; begins = word == "|")
      if (begins)
        answer = word;
      else if (word != "|")
        answers[word] = answer;
  }
  return all;
}

Case case_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == text.npos ? Case{} : Case{text.substr(0, equals), text.substr(equals + 1)};
}

// Whether Heddle's answer will do for a device's: where that faults later or ends, any status will.
bool agrees(const std::string& device, const std::string& here) {
  if (device == "x") return true;
  if (device.ends_with('!')) return here.ends_with('!') || here != "0";
  return device == here;
}

class Differences {
 public:
  ~Differences() {
    const char* const path = std::getenv("HEDDLE_ANSWERS_OUT");
    if (path == nullptr) return;
    std::ofstream file(path);
    for (const auto& [name, answers] : all_) {
      file << name << ':';
      const char* before = " ";
      for (const auto& [answer, cases] : answers) {
        file << before << answer << cases;
        before = " | ";
      }
      file << '\n';
    }
  }
  void add(const std::string& name, const std::string& answer, const std::string& what) {
    all_[name][answer] += " " + what;
  }

 private:
  std::map<std::string, std::map<std::string, std::string>> all_;
};

TEST(Answers, ToOneBadArgumentAreADevicesOrKnown) {
  const auto device = read("tests/hw/h200/answers/library_arguments.txt");
  const auto known = read("tests/library_arguments/differences.txt");
  const std::vector<Function> all = functions();
  Baseline baseline(all);
  Differences differences;
  int asked = 0, same = 0;
  for (const Function& function : all) {
    const auto found = device.find(std::string(function.name));
    if (found == device.end()) continue;
    const auto ours = known.find(found->first);
    for (const auto& [text, answer] : found->second) {
      std::string here = std::to_string(baseline.run(function, case_of(text)));
      if (cudaDeviceSynchronize() != cudaSuccess) {
        here += '!';
        baseline.begin_anew();
      }
      ++asked;
      if (agrees(answer, here)) {
        ++same;
        continue;
      }
      differences.add(found->first, here, text);
      const bool listed = ours != known.end() && ours->second.contains(text);
      EXPECT_EQ(here, listed ? ours->second.at(text) : answer) << found->first << ", " << text;
    }
  }
  std::printf("%d of %d answers are an H200's\n", same, asked);
  EXPECT_GT(asked, 7000);
}

}  // namespace
}  // namespace heddle::library_arguments
