#include "driver/nvcc/cicc.h"

#include <iostream>

#include "driver/file.h"
#include "driver/message.h"

namespace heddle::driver::nvcc {

namespace {

using Division = frontend::FloatPrecision::Division;

// nvcc's own names for these: prec_div has a third value for -use_fast_math.
constexpr std::pair<Division, std::string_view> divisions[] = {
    {Division::rounded, "-prec_div=1"},
    {Division::full_range, "-prec_div=0"},
    {Division::approximate, "-prec_div=fast"},
};

}  // namespace

std::string Cicc::text() const {
  const frontend::Job job = source.whole();
  std::vector<std::string> words;
  if (target) {
    words = {"-arch", "compute_" + target->name};
    for (const auto& [division, word] : divisions)
      if (division == job.precision.division) words.emplace_back(word);
    words.push_back(job.precision.approximate_root ? "-prec_sqrt=0" : "-prec_sqrt=1");
    if (job.precision.flush_subnormals) words.push_back("-ftz=1");
    if (job.keeps_shared_order) words.push_back("-warp_synchronous=1");
  } else {
    words = {"--host"};
  }
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  if (!output.empty()) words.insert(words.end(), {"-o", output});
  return "\"$CICC_PATH/cicc\" " + shell_quoted(words);
}

frontend::Product Cicc::run() const {
  beginnings::Source own = source;
  own.job.is_1x = target && target->is_1x();
  own.job.has_doubles = !target || target->has_doubles();
  const bool to_memory = own.job.to_memory;
  if (!to_memory && !output.empty()) own.own.insert(own.own.end(), {"-o", output});
  frontend::Product product =
      shares_beginning && to_memory ? beginnings::compile(own) : frontend::compile(own.whole());
  if (!product.ok || !target || !to_memory) return product;
  Result<std::string> ptx = frontend::finish_ptx(*target, std::move(product.output));
  if (ptx) {
    product.output = std::move(*ptx);
    return product;
  }
  product.output.clear();
  product.ok = false;
  product.diagnostics.push_back(source.path + ": error: " + ptx.error().message + '\n');
  return product;
}

int cicc_main(const std::vector<std::string>& words) {
  Cicc cicc;
  cicc.shares_beginning = false;
  frontend::Job& job = cicc.source.job;
  bool host = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (word == "-arch" && next.starts_with("compute_")) {
      cicc.target = frontend::find_target(next.substr(8));
      if (!cicc.target) {
        std::cerr << message("cicc", Weight::fatal, "Unsupported architecture '" + next + "'");
        return 1;
      }
      ++i;
    } else if (word == "--host") {
      host = true;
    } else if (word == "-prec_sqrt=0" || word == "-prec_sqrt=1") {
      job.precision.approximate_root = word.ends_with('0');
    } else if (word == "-ftz=1") {
      job.precision.flush_subnormals = true;
    } else if (word == "-warp_synchronous=1") {
      job.keeps_shared_order = true;
    } else if (word == "-o" && !next.empty()) {
      cicc.output = next;
      ++i;
    } else {
      bool taken = false;
      for (const auto& [division, spelling] : divisions) {
        if (word != spelling) continue;
        job.precision.division = division;
        taken = true;
      }
      if (!taken) job.arguments.push_back(word);
    }
  }
  if (host == cicc.target.has_value() || job.arguments.empty()) {
    std::cerr << message(
        "cicc", Weight::fatal,
        "one of -arch compute_XX and --host is needed, then arguments of clang; nvcc -dryrun shows some");
    return 1;
  }
  cicc.source.path = job.arguments.back();
  job.arguments.pop_back();
  const frontend::Product product = cicc.run();
  for (const std::string& text : product.diagnostics) std::cerr << text;
  std::cerr << product.log;
  if (!product.failure.empty()) std::cerr << message("cicc", Weight::fatal, product.failure);
  if (!product.ok) return 2;
  const Status<> written = write_file(cicc.output.empty() ? "-" : cicc.output, product.output);
  if (written) return 0;
  std::cerr << message("cicc", Weight::fatal, written.error().message);
  return 1;
}

}  // namespace heddle::driver::nvcc
