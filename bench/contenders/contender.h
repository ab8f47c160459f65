// One way of computing the rows, as a process of its own that does what bench/compare says line by line:
//
//   rows                  rows NAME ...
//   open ROW small|full   makes the inputs, runs once and checks:
//                         opened FIRST_MS READ WRITTEN OPERATIONS right|wrong WHY
//   settle                settled MS, once threads in the background, compilers say, have ended
//   run COUNT             ran CPU_MS/WALL_MS ..., a pair a run (short ones: the mean of many), CPU time of
//   all threads check                 right, or wrong WHY, of the last run; the results are cleared then
//   close                 closed
//   quit
//
// Anything else that goes wrong answers `failed WHY`. The first line is `ready DESCRIPTION` or `absent WHY`.
#pragma once

#include <string>
#include <string_view>

#include "problem.h"

namespace heddle::bench {

// Every function answers what went wrong; nothing when nothing did.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string open(std::string_view row, Problem& problem) = 0;
  virtual std::string run() = 0;              // to the end
  virtual std::string fetch() { return {}; }  // results into the problem's arrays
  virtual std::string give() { return {}; }   // the arrays that are results, cleared, back
  virtual void close() {}
};

int serve(Contender& contender, const std::string& description);
int absent(const std::string& why);

}  // namespace heddle::bench
