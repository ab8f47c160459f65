#include "contender.h"

#include <time.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>

namespace heddle::bench {

namespace {

double cpu_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double wall_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

class Server {
 public:
  explicit Server(Contender& contender) : contender_(contender) {}

  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "open") {
      std::string row, size;
      words >> row >> size;
      return open(row, size == "small" ? Size::small : Size::full);
    }
    if (verb == "rows") {
      std::string names = "rows";
      for (const std::string_view name : row_names()) names.append(" ").append(name);
      return names;
    }
    if (!problem_) return "failed no row is open";
    if (verb == "run") {
      int count = 0;
      words >> count;
      return run(count);
    }
    if (verb == "check") return check();
    if (verb == "settle") return settle();
    if (verb == "close") {
      contender_.close();
      problem_.reset();
      return "closed";
    }
    return "failed what is '" + verb + "'?";
  }

 private:
  std::string open(const std::string& row, Size size) {
    problem_.emplace(make_problem(row, size));
    if (std::string wrong = contender_.open(row, *problem_); !wrong.empty()) return "failed " + wrong;
    const double begin = wall_milliseconds();
    if (std::string wrong = contender_.run(); !wrong.empty()) return "failed " + wrong;
    const double first = wall_milliseconds() - begin;
    const std::string verdict = check();
    if (verdict.starts_with("failed")) return verdict;
    const Least& least = problem_->least;
    char text[128];
    std::snprintf(text, sizeof text, "opened %.6f %.9g %.9g %.9g ", first, least.read, least.written,
                  least.operations);
    return text + verdict;
  }

  // The kernel counts the time of other threads when they pause, or at a tick some milliseconds later: a
  // short run's would fall to its neighbours. So a sample is as many runs as take `least`, and the figure
  // their mean.
  std::string run(int count) {
    constexpr double least = 25;  // milliseconds
    std::string result = "ran";
    for (int i = 0; i < count; ++i) {
      const double wall = wall_milliseconds(), cpu = cpu_milliseconds();
      double wall_end = wall;
      int runs = 0;
      for (; runs == 0 || wall_end - wall < least; ++runs, wall_end = wall_milliseconds())
        if (std::string wrong = contender_.run(); !wrong.empty()) return "failed " + wrong;
      char text[64];
      std::snprintf(text, sizeof text, " %.6f/%.6f", (cpu_milliseconds() - cpu) / runs,
                    (wall_end - wall) / runs);
      result += text;
    }
    return result;
  }

  static std::string settle() {
    constexpr double look = 50, most = 10'000, idle = 1;  // milliseconds
    const double begin = wall_milliseconds();
    for (double used = most; used > idle && wall_milliseconds() - begin < most;) {
      const double before = cpu_milliseconds();
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(look));
      used = cpu_milliseconds() - before;
    }
    return "settled " + std::to_string(wall_milliseconds() - begin);
  }

  std::string check() {
    if (std::string wrong = contender_.fetch(); !wrong.empty()) return "failed " + wrong;
    const std::string wrong = problem_->check();
    for (const uint32_t result : problem_->results) problem_->arrays[result].clear();
    if (std::string failure = contender_.give(); !failure.empty()) return "failed " + failure;
    return wrong.empty() ? "right" : "wrong " + wrong;
  }

  Contender& contender_;
  std::optional<Problem> problem_;
};

}  // namespace

int serve(Contender& contender, const std::string& description) {
  Server server(contender);
  std::cout << "ready " << one_line(description) << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::string answer;
    try {
      answer = server.answer(line);
    } catch (const std::exception& problem) {
      answer = std::string("failed ") + problem.what();
    }
    std::cout << one_line(std::move(answer)) << std::endl;
  }
  return 0;
}

int absent(const std::string& why) {
  std::cout << "absent " << one_line(why) << std::endl;
  return 0;
}

}  // namespace heddle::bench
