// .version, .target and its options, .file and .loc (PTX ISA 11.1, 11.5).
#include <algorithm>

#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

constexpr std::string_view target_options[] = {"debug", "texmode_independent", "texmode_unified",
                                               "map_f64_to_f32"};
constexpr isa::TargetNeed f64_need{.sm = 13};

}  // namespace

bool Verifier::has_option(std::string_view option) const {
  return std::ranges::find(module_.target_options, option) != module_.target_options.end();
}

void Verifier::check_header() {
  const isa::TargetInfo& target = *module_.target;
  if (target.ptx > module_.version) {
    complain(0, "",
             "target " + std::string(target.name) + " needs PTX " + std::to_string(target.ptx.major) + "." +
                 std::to_string(target.ptx.minor) + ", this module is PTX " +
                 std::to_string(module_.version.major) + "." + std::to_string(module_.version.minor),
             "11.1.2");
  }
  for (const std::string& option : module_.target_options)
    if (std::ranges::find(target_options, option) == std::end(target_options))
      complain(0, "", "'" + option + "' is neither a target nor an option of one", "11.1.2");
  independent_textures_ = has_option("texmode_independent");
  if (independent_textures_ && has_option("texmode_unified"))
    complain(0, "", "a module is texmode_unified or texmode_independent, not both", "11.1.2");
  singles_for_doubles_ = has_option("map_f64_to_f32");
  if (singles_for_doubles_ && isa::meets(target, f64_need))
    complain(0, "", "map_f64_to_f32 is for targets without .f64, " + std::string(target.name) + " has it",
             "11.1.2");
  check_files();
}

void Verifier::check_files() {
  for (const FileEntry& file : module_.files) files_.push_back(file.index);
  std::ranges::sort(files_);
  for (std::size_t i = 1; i < files_.size(); ++i) {
    if (files_[i] != files_[i - 1] || (i > 1 && files_[i] == files_[i - 2])) continue;
    complain(0, "", "file " + std::to_string(files_[i]) + " is named twice", "11.5.2");
  }
}

// A place in a file that no .file names is of no use, but does no harm either.
void Verifier::check_location(const Location& location, uint32_t offset) {
  const auto known = [&](uint32_t file) { return std::ranges::binary_search(files_, file); };
  for (const uint32_t file : {location.file, location.inlined ? location.at_file : location.file}) {
    if (known(file)) continue;
    diagnostics_.warning({offset, offset + 4},
                         "no .file names file " + std::to_string(file) + " of this .loc", "PTX ISA 11.5.3");
    files_.insert(std::ranges::lower_bound(files_, file), file);  // once a file is enough
  }
}

}  // namespace heddle::ptx
