// nvidia-smi dmon and pmon: a line for each device, or for each process on one, again and again.
#pragma once

#include <span>
#include <string>

#include "programs/smi/smi.h"

namespace heddle::smi {

enum class Subject { devices, processes };

struct Monitor {
  Subject subject = Subject::devices;
  std::string metrics;  // letters of groups, as -s has them
  bool date = false, time = false;
  bool csv = false, header = true, units = true;
  double delay_seconds = 1;
  uint64_t count = 0;  // samples; 0: without end
  bool help = false;
  std::string ids, file;
};

// The words behind dmon or pmon. The error is a line of text.
Result<Monitor> read_monitor(Subject subject, std::span<char* const> words);
std::string monitor_help(Subject subject);
// The lines above the samples, and one sample.
std::string monitor_header(const Monitor& monitor);
std::string monitor_sample(const Monitor& monitor, std::span<const machine::Card> cards);

}  // namespace heddle::smi
