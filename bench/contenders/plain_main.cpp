// Plain C++ as a contender.
#include "contender.h"
#include "plain.h"

namespace heddle::bench {

namespace {

class Plain final : public Contender {
 public:
  std::string open(std::string_view row, Problem& problem) override {
    problem_ = &problem;
    run_ = plain_row(row);
    return run_ == nullptr ? "no such row" : "";
  }
  std::string run() override {
    run_(*problem_);
    return {};
  }

 private:
  Problem* problem_ = nullptr;
  PlainRow run_ = nullptr;
};

}  // namespace

}  // namespace heddle::bench

int main() {
  heddle::bench::Plain plain;
  return heddle::bench::serve(plain, BENCH_COMPILER);
}
