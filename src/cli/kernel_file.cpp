#include "cli/kernel_file.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/input.h"
#include "elf/object_file.h"
#include "fatbin/embedded.h"
#include "fatbin/fatbin.h"
#include "fatbin/text_cubin.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;
using Images = std::vector<std::unique_ptr<module::Image>>;

Result<Unit> add_text(const std::shared_ptr<const SourceText>& source, Images& images, Console& console) {
  Diagnostics diagnostics;
  const ptx::Module module = ptx::read(source, diagnostics);
  if (diagnostics.has_errors()) {
    console.err << diagnostics.render(*source);
    return Error{"the PTX of '" + std::string(source->name()) + "' is not right"};
  }
  const ptx::Module* const modules[] = {&module};
  module::LinkOptions options;
  options.allow_undefined_variables = true;
  auto image = module::link(modules, options);
  if (!image) return Error{image.error().messages.front()};
  images.push_back(std::move(*image));
  return Unit{};
}

Result<Unit> add_fat_binary(const std::string& name, std::string_view bytes, const arch::Device& device,
                            Images& images, Console& console) {
  const auto entries = fatbin::read(std::as_bytes(std::span(bytes)));
  if (!entries) return Error{"'" + name + "': " + entries.error().message};
  const auto chosen = fatbin::choose_ptx(*entries, device.capability().number());
  if (!chosen) return Error{"'" + name + "': " + chosen.error().message};
  auto text = fatbin::contents(**chosen);
  if (!text) return Error{"'" + name + "': " + text.error().message};
  while (!text->empty() && text->back() == '\0') text->pop_back();
  return add_text(std::make_shared<const SourceText>(name, std::move(*text)), images, console);
}

Result<Unit> add_built(const std::string& name, std::string_view bytes, const arch::Device& device,
                       Images& images, Console& console) {
  // Where linked device code lies; what the device linker has linked keeps its parts in the second.
  constexpr std::array<std::string_view, 2> sections{".nv_fatbin", "__nv_relfatbin"};
  const auto files = elf::read_objects(name, bytes);
  if (!files) return files.error();
  for (const elf::ObjectFile& file : *files)
    for (const std::string_view wanted : sections) {
      const elf::ObjectSection* section = file.find(wanted);
      if (section == nullptr) continue;
      for (const std::string_view fat : elf::fat_binaries_in(section->bytes))
        if (auto added = add_fat_binary(file.name, fat, device, images, console); !added)
          return added.error();
    }
  if (images.empty()) return Error{"'" + name + "' has no device code"};
  return Unit{};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "heddle-XXXXXX").string();
    if (!failed && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// nvcc of this toolkit lies beside this program.
Result<Unit> compile(const std::string& path, const std::string& output, const arch::Device& device,
                     std::span<const std::string_view> options) {
  std::error_code failed;
  const fs::path nvcc = fs::read_symlink("/proc/self/exe", failed).parent_path() / "nvcc";
  if (failed || !fs::exists(nvcc))
    return Error{"'" + nvcc.string() + "' is missing, which compiles CUDA C++"};
  std::vector<std::string> words{nvcc.string(),
                                 "-ptx",
                                 "-o",
                                 output,
                                 "-x",
                                 "cu",
                                 "-arch=compute_" + std::to_string(device.capability().number())};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(path);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (const int problem = posix_spawn(&child, words[0].c_str(), nullptr, nullptr, pointers.data(), environ))
    return Error{"cannot start '" + words[0] + "': " + std::strerror(problem)};
  int state = 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return Error{"cannot wait for '" + words[0] + "': " + std::strerror(errno)};
  if (state != 0) return Error{"'" + path + "' does not compile"};
  return Unit{};
}

}  // namespace

Result<Images> read_kernel_file(std::string_view path, const arch::Device& device,
                                std::span<const std::string_view> options, Console& console) {
  Images images;
  const std::string name(path);
  const auto source = read_source(path, console);
  if (!source) return source.error();
  const std::string_view text = (*source)->text();
  Result<Unit> added = Unit{};
  if (elf::is_elf(text) || elf::is_archive(text)) {
    added = add_built(name, text, device, images, console);
  } else if (fatbin::is_text_cubin(text)) {
    const auto inner = fatbin::read_text_cubin(text);
    if (!inner) return Error{"'" + name + "': " + inner.error().message};
    added = add_fat_binary(name, *inner, device, images, console);
  } else if (text.size() >= 4 && fatbin::form_of(text.data()) == fatbin::Form::fat_binary) {
    added = add_fat_binary(name, text, device, images, console);
  } else if (name.ends_with(".cu") || name.ends_with(".cuh") || name.ends_with(".cpp") ||
             name.ends_with(".cc")) {
    const TemporaryFolder folder;
    if (folder.path().empty()) return Error{"no temporary folder can be made"};
    const std::string output = (folder.path() / "kernels.ptx").string();
    added = compile(name, output, device, options);
    if (added) {
      const auto made = read_source(output, console);
      if (!made) return made.error();
      added = add_text(*made, images, console);
    }
  } else {
    added = add_text(*source, images, console);
  }
  if (!added) return added.error();
  return images;
}

}  // namespace heddle::cli
