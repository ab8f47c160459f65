// nvidia-smi: what it prints of the host's devices.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/card.h"
#include "support/result.h"

namespace heddle::smi {

struct Host {
  std::vector<machine::Card> cards;
  int driver = 0;  // the version of CUDA that the driver has: 13000
};

// One thing to ask of a device (--query-gpu) or of a process on it (--query-compute-apps).
struct Question {
  const machine::Card& card;
  const Host& host;
  const machine::User* user = nullptr;
};
struct Field {
  std::string_view name;
  std::string_view other;                 // another name of it
  std::string_view unit;                  // "MiB"
  std::string (*value)(const Question&);  // empty: nobody knows
  std::string_view help;
};
std::span<const Field> device_fields();
std::span<const Field> process_fields();

struct Form {
  bool header = true, units = true;
};
// A row a device or process. The error: a field that there is not.
Result<std::string> query_devices(const Host& host, std::span<const machine::Card> cards,
                                  std::string_view fields, const Form& form);
Result<std::string> query_processes(const Host& host, std::span<const machine::Card> cards,
                                    std::string_view fields, const Form& form);
std::string help_fields(std::span<const Field> fields);

// -q, of all sections or those that -d names ("MEMORY,CLOCK"). The error: a section that there is not.
Result<std::string> log(const Host& host, std::span<const machine::Card> cards, std::string_view sections);
// -q -x.
std::string xml(const Host& host, std::span<const machine::Card> cards);
// Without options.
std::string table(const Host& host, std::span<const machine::Card> cards);
// topo -m: how devices are connected.
std::string topology(std::span<const machine::Card> cards);

// As date(1) has it, in the C locale.
std::string now();
std::string mebibytes(uint64_t bytes);

}  // namespace heddle::smi
