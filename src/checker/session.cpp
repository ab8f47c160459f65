#include "checker/session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ostream>

#include "checker/place_text.h"

namespace heddle::checker {

namespace {

std::string counted(uint64_t count, const char* one) {
  return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

constexpr int not_found = 127, not_runnable = 126;

}  // namespace

int Session::run(const std::string& program, const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0) {
    out_ << options_.prefix << "Error: no pipe: " << std::strerror(errno) << '\n';
    return not_runnable;
  }
  // The program must not find the pipe at a number that it takes for its own.
  const int high = fcntl(ends[1], F_DUPFD, 200);
  if (high >= 0) close(ends[1]), ends[1] = high;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  if (!options_.quiet) out_ << options_.prefix << options_.title << '\n';
  if (!options_.opening.empty()) out_ << options_.opening << '\n';
  out_.flush();
  Settings settings = options_.settings;
  settings.pipe = ends[1];
  // What is saved or compared with suppressions is needed of each error.
  if (options_.save_file.empty() && !options_.suppressions) settings.error_texts = options_.print_limit;
  const std::string text = settings.text();
  const pid_t child = fork();
  if (child == 0) {
    setenv(settings_variable, text.c_str(), 1);
    if (settings.time_limit != 0) {
      // A kernel ends before, so that it is told where it was, and what was found in it: the more there is of
      // that, the longer it takes.
      const uint64_t ms = settings.time_limit * 1000 - std::max<uint64_t>(500, settings.time_limit * 20);
      setenv("HEDDLE_KERNEL_TIMEOUT", (std::to_string(ms / 1000) + '.' + std::to_string(ms % 1000)).c_str(),
             0);
    }
    if (settings.memcheck) {
      // A stray access meets nobody else's memory, and a fault is told once.
      setenv("HEDDLE_BOUNDS", "apart", 0);
      setenv("HEDDLE_QUIET", "1", 0);
    } else if (!settings.initcheck) {
      // Kernels go on where they would on a device, so that what they do behind a stray access is seen.
      setenv("HEDDLE_BOUNDS", "pages", 0);
    }
    std::vector<std::string> copies = words;
    std::vector<char*> pointers;
    for (std::string& word : copies) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(program.c_str(), pointers.data());
    _exit(errno == ENOENT ? not_found : not_runnable);
  }
  close(ends[1]);
  int status = 0;
  if (child < 0) {
    out_ << options_.prefix << "Error: no process: " << std::strerror(errno) << '\n';
    return not_runnable;
  }
  read(ends[0], child, status);
  close(ends[0]);
  summary();
  save();
  out_.flush();
  return exit_code(status);
}

// Until the program has ended; processes that it leaves behind are not waited for.
void Session::read(int pipe, int child, int& status) {
  std::string bytes;
  bool ended = false, open = true;
  // One that makes no calls, or whose threads do not run, is ended from here.
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(options_.settings.time_limit + 2);
  while (open) {
    if (options_.settings.time_limit != 0 && !ended && !killed_ &&
        (over_ || std::chrono::steady_clock::now() > limit)) {
      Kept late;
      late.text = "Time limit exceeded: the program has not ended after " +
                  std::to_string(options_.settings.time_limit) + " s.";
      if (!over_) error(late);
      killed_ = true;
      kill(child, SIGKILL);
    }
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, ended ? 0 : 100);
    if (ready < 0 && errno != EINTR) break;
    if (ready > 0) {
      char buffer[1 << 16];
      const ssize_t got = ::read(pipe, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        open = false;
      else
        bytes.append(buffer, static_cast<std::size_t>(got));
      bytes.erase(0, take_all(bytes));
      continue;
    }
    if (ended) break;
    ended = waitpid(child, &status, WNOHANG) == child;
  }
  if (!ended) waitpid(child, &status, 0);
}

// Of these bytes all messages that are whole; says how many bytes they are.
std::size_t Session::take_all(std::string_view bytes) {
  std::size_t at = 0;
  MessageHead head;
  while (bytes.size() - at >= sizeof head) {
    std::memcpy(&head, bytes.data() + at, sizeof head);
    if (head.magic != MessageHead::sign) {  // the program wrote there: look for the next one
      ++at;
      continue;
    }
    if (bytes.size() - at - sizeof head < head.bytes) break;
    if (!options_.saves_records && !options_.save_file.empty())
      saved_ += bytes.substr(at, sizeof head + head.bytes);
    take(head, std::string(bytes.substr(at + sizeof head, head.bytes)));
    at += sizeof head + head.bytes;
  }
  return at;
}

bool Session::read_saved(const std::string& bytes) {
  uint32_t sign = 0;
  if (bytes.size() >= sizeof(MessageHead)) std::memcpy(&sign, bytes.data(), sizeof sign);
  if (!bytes.empty() && sign != MessageHead::sign) return false;
  if (!options_.quiet) out_ << options_.prefix << options_.title << '\n';
  tested_ = true;
  take_all(bytes);
  summary();
  return true;
}

// It was told, and not suppressed.
void Session::finding(const Kept& kept) {
  if (!options_.saves_records || kept.record.empty()) return;
  if (const auto read = read_elements(element("record", kept.record)); read.ok())
    records_ += printed(read.value().inside.front(), 1);
}

void Session::save() const {
  if (options_.save_file.empty()) return;
  std::ofstream file(options_.save_file, std::ios::binary);
  if (!options_.saves_records)
    file << saved_;
  else if (records_.empty())
    file << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput/>\n";
  else
    file << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n"
         << records_ << "</ComputeSanitizerOutput>\n";
  file.close();
  if (!file)
    out_ << options_.prefix << "Error: '" << options_.save_file
         << "' cannot be written: " << std::strerror(errno) << '\n';
}

void Session::print(const std::string& text, const std::string& detail) {
  const std::string all = options_.details ? text + detail : text;
  std::size_t begin = 0;
  while (begin <= all.size()) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = std::string_view(all).substr(begin, end - begin);
    if (options_.host_frames ||
        (line.find("Host Frame:") == line.npos && line.find("Saved host backtrace") == line.npos))
      out_ << options_.prefix << line << '\n';
    begin = end + 1;
  }
  out_ << options_.prefix << '\n';
  out_.flush();
}

void Session::take(const MessageHead& head, const std::string& text) {
  const std::size_t end = std::min<std::size_t>(head.record, text.size()),
                    split = std::min<std::size_t>(head.detail, end);
  Kept kept{head.warning, head.hazards, text.substr(0, split), text.substr(split, end - split),
            text.substr(end)};
  if (options_.suppressions && !kept.record.empty() &&
      options_.suppressions->have(element("record", kept.record)))
    return;
  switch (head.kind) {
    case MessageKind::tested: tested_ = true; return;
    case MessageKind::race: races_[{head.process, head.number}] = std::move(kept); return;
    case MessageKind::order: orders_[{head.process, head.number}] = std::move(kept); return;
    case MessageKind::exception: exceptions_[{head.process, head.number}] = std::move(kept); return;
    case MessageKind::hazard:
      (kept.warning ? hazard_warnings_ : hazard_errors_) += kept.hazards;
      if (kept.text.empty() || (kept.warning && !options_.print_warnings)) return;
      if (options_.print_limit != 0 && hazards_printed_ >= options_.print_limit) return;
      ++hazards_printed_;
      print(kept.text, kept.detail);
      return;
    case MessageKind::leak: leaks_.push_back(std::move(kept)); return;
    case MessageKind::notice: print(kept.text, kept.detail); return;
    case MessageKind::time_limit:
      over_ = true;
      error(kept);
      return;
    case MessageKind::error:
      if (kept.text.empty()) {
        errors_ += kept.hazards;
        not_printed_ += kept.hazards;
        return;
      }
      error(kept);
      return;
  }
}

void Session::error(const Kept& kept) {
  ++errors_;
  finding(kept);
  if (options_.print_limit != 0 && printed_ >= options_.print_limit) {
    ++not_printed_;
    return;
  }
  ++printed_;
  print(kept.text, kept.detail);
}

void Session::print_exceptions() {
  for (const auto& [id, one] : exceptions_) {
    finding(one);
    (one.warning ? exception_warnings_ : exception_errors_) += 1;
    if (one.warning && !options_.print_warnings) continue;
    if (options_.print_limit != 0 && exceptions_printed_ >= options_.print_limit) continue;
    ++exceptions_printed_;
    print(one.text, one.detail);
  }
}

void Session::print_orders() {
  for (const auto& [id, one] : orders_) {
    finding(one);
    (one.warning ? order_warnings_ : order_errors_) += 1;
    if (one.warning && !options_.print_warnings) continue;
    if (options_.print_limit != 0 && orders_printed_ >= options_.print_limit) continue;
    ++orders_printed_;
    print(one.text, one.detail);
  }
}

void Session::summary() {
  if (options_.require_init && !tested_ && errors_ == 0) {
    out_ << options_.prefix << "Target application terminated before first instrumented API call\n";
    return;
  }
  uint64_t displayed = hazards_printed_, race_errors = hazard_errors_, race_warnings = hazard_warnings_;
  for (const auto& [id, race] : races_) {
    finding(race);
    (race.warning ? race_warnings : race_errors) += 1;
    if (race.warning && !options_.print_warnings) continue;
    if (options_.print_limit != 0 && displayed >= options_.print_limit) continue;
    ++displayed;
    print(race.text, race.detail);
  }
  print_exceptions();
  print_orders();
  uint64_t leaked = 0;
  for (const Kept& leak : leaks_) {
    finding(leak);
    leaked += leak.hazards;
    ++errors_;
    if (options_.print_limit == 0 || printed_ < options_.print_limit) {
      ++printed_;
      print(leak.text, leak.detail);
    } else {
      ++not_printed_;
    }
  }
  const Settings& s = options_.settings;
  if (s.leaks && !options_.quiet)
    out_ << options_.prefix << "LEAK SUMMARY: " << with_commas(leaked) << " bytes leaked in " << leaks_.size()
         << " allocations\n";
  if (options_.quiet) return;
  if (s.racecheck)
    out_ << options_.prefix << "RACECHECK SUMMARY: " << counted(displayed, "hazard") << " displayed ("
         << counted(race_errors, "error") << ", " << counted(race_warnings, "warning") << ")\n";
  if (s.fpcheck || !exceptions_.empty())
    out_ << options_.prefix << "FPCHECK SUMMARY: " << counted(exceptions_printed_, "exceptional number")
         << " displayed (" << counted(exception_errors_, "error") << ", "
         << counted(exception_warnings_, "warning") << ")\n";
  if (s.schedules != 0 || !orders_.empty())
    out_ << options_.prefix << "SCHEDULE SUMMARY: " << counted(orders_printed_, "result")
         << " that the order decides displayed (" << counted(order_errors_, "error") << ", "
         << counted(order_warnings_, "warning") << ")\n";
  if (s.memcheck || s.initcheck || s.synccheck || s.intcheck || s.leaks || s.time_limit != 0)
    out_ << options_.prefix << "ERROR SUMMARY: " << counted(errors_, "error") << '\n';
  if (not_printed_ != 0)
    out_ << options_.prefix << "ERROR SUMMARY: " << not_printed_
         << " errors were not printed. Use --print-limit option to adjust the number of printed errors\n";
}

int Session::exit_code(int status) {
  const int own = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (killed_) return options_.error_exitcode != 0 ? options_.error_exitcode : own;
  const bool found = errors_ != 0 || exception_errors_ != 0 || order_errors_ != 0 || !races_.empty() ||
                     hazard_errors_ + hazard_warnings_ != 0;
  if (own == 0 && found) return options_.error_exitcode;
  return own;
}

}  // namespace heddle::checker
