// A program that is right, made from the bytes: it is taken without a diagnostic, does not fault, and its
// output is the same run again, printed and read again, and with either way of scheduling a warp's lanes.
#include <cstdio>
#include <cstdlib>

#include "exec/interp/program_runner.h"

namespace {

[[noreturn]] void fail(const char* what, const std::string& message, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n%s\n", what, message.c_str(), text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace heddle;
  using End = exec::interp::ProgramResult::End;
  ptx::testing::RandomProgramOptions options;
  options.most_threads = 64;
  const ptx::testing::RandomProgram program = ptx::testing::random_program(data, size, options);
  const auto first = exec::interp::run_program(program);
  if (!first.message.empty() || first.end != End::ran) fail("not taken", first.message, program.text);
  const auto again = exec::interp::run_program(program);
  if (again.end != End::ran || again.output != first.output)
    fail("differs when run again", again.message, program.text);
  ptx::testing::RandomProgram printed = program;
  printed.text = first.printed;
  const auto second = exec::interp::run_program(printed, "gtx980");
  if (!second.message.empty() || second.printed != first.printed)
    fail("differs when printed", second.message, program.text);
  if (second.end != End::ran || second.output != first.output)
    fail("differs with one program counter a warp", second.message, program.text);
  return 0;
}
