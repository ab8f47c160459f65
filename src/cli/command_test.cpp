#include "cli/command.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>

namespace heddle::cli {
namespace {

// A command that says what it was given.
Exit echo(const Arguments& arguments, Console& console) {
  for (const std::string_view operand : arguments.operands()) console.out << '[' << operand << ']';
  if (arguments.has("--loud")) console.out << " loud";
  for (const std::string_view name : arguments.values("--name")) console.out << " name=" << name;
  console.out << " last=" << arguments.value("--name", "none");
  return Exit::ok;
}

constexpr std::array kOptions{
    Option{"--loud", "",
           "say it louder, in a sentence that is so long that it cannot stand in one line of the "
           "terminal and must be wrapped"},
    Option{"--name", "NAME", "whom to greet"},
};
constexpr Command kEcho{"say it", "FILE...", 1, 3, "says it", "", kOptions, echo};
constexpr Command kStart{"start", "PROGRAM [WORD...]", 1, kNoLimit, "starts it", "", kOptions, echo, true};
constexpr std::array<const Command*, 2> kCommands{&kEcho, &kStart};
constexpr std::array kGroups{Group{"say", "things to say"}};
constexpr CommandTable kTable{kCommands, kGroups};

struct Outcome {
  Exit exit;
  std::string out, err;
};

Outcome call(std::vector<std::string_view> words) {
  std::istringstream in;
  std::ostringstream out, err;
  Console console{in, out, err};
  const Exit exit = run(kTable, words, console);
  return {exit, out.str(), err.str()};
}

TEST(Commands, ReceiveOperandsAndOptionsInAnyOrder) {
  const Outcome outcome = call({"say", "it", "a", "--name", "x", "-", "--loud", "--name=y=z"});
  EXPECT_EQ(outcome.exit, Exit::ok);
  EXPECT_EQ(outcome.out, "[a][-] loud name=x name=y=z last=y=z");
}

TEST(Commands, TakeEverythingAfterTwoDashesAsOperands) {
  EXPECT_EQ(call({"say", "it", "--", "--loud"}).out, "[--loud] last=none");
}

TEST(Commands, LeaveWordsBehindAProgramToTheProgram) {
  EXPECT_EQ(call({"start", "--loud", "a", "--name=x", "--", "--help"}).out,
            "[a][--name=x][--][--help] loud last=none");
}

TEST(Commands, AWrongCommandLineIsAUsageError) {
  const auto complaint = [](std::vector<std::string_view> words) {
    const Outcome outcome = call(std::move(words));
    EXPECT_EQ(outcome.exit, Exit::usage);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(complaint({"say", "it"}), "heddle: error: missing operand; usage: heddle say it FILE...\n");
  EXPECT_EQ(complaint({"say", "it", "1", "2", "3", "4"}),
            "heddle: error: unexpected operand '4'; usage: heddle say it FILE...\n");
  EXPECT_EQ(complaint({"say", "it", "1", "--nane", "x"}),
            "heddle: error: unknown option '--nane' (did you mean '--name'?); `heddle say it --help` lists "
            "the options\n");
  EXPECT_EQ(complaint({"say", "it", "1", "--name"}), "heddle: error: option '--name' wants a value: NAME\n");
  EXPECT_EQ(complaint({"say", "it", "1", "--loud=3"}), "heddle: error: option '--loud' takes no value\n");
  EXPECT_EQ(complaint({"say", "ti"}),
            "heddle: error: unknown command 'say ti' (did you mean 'it'?); `heddle say --help` lists the "
            "commands\n");
  EXPECT_EQ(complaint({"weave"}),
            "heddle: error: unknown command 'weave'; `heddle --help` lists the commands\n");
  EXPECT_NE(complaint({"say"}).find("usage: heddle say <command>"), std::string::npos);
}

TEST(Commands, HelpIsMadeFromTheRecords) {
  const Outcome outcome = call({"say", "it", "--help"});
  EXPECT_EQ(outcome.exit, Exit::ok);
  EXPECT_EQ(
      outcome.out,
      "heddle say it: says it\n"
      "\n"
      "usage: heddle say it [options] FILE...\n"
      "\n"
      "options:\n"
      "  --loud       say it louder, in a sentence that is so long that it cannot stand in one line of the\n"
      "               terminal and must be wrapped\n"
      "  --name NAME  whom to greet\n"
      "  --help       this text\n");
  EXPECT_NE(call({"--help"}).out.find("\n  say           things to say\n"), std::string::npos);
  EXPECT_NE(call({"say", "--help"}).out.find("\n  it  says it\n"), std::string::npos);
}

}  // namespace
}  // namespace heddle::cli
