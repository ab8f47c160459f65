#include "beginnings/beginnings.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "beginnings/leading_headers.h"
#include "cache/bytes.h"
#include "cache/disk.h"
#include "cache/key.h"
#include "support/setting.h"

namespace heddle::beginnings {
namespace {

namespace fs = std::filesystem;

// Programs that differ in nothing but their text share one; a few sets of options are in use at a time.
constexpr std::size_t most_kept = 8;

// Between 7 MB, for clang's own headers alone, and 14.
constexpr uint64_t usual_bytes = 12 << 20;

// Options before folders in which clang looks for a header before it looks in the system's.
constexpr std::string_view folder_options[] = {"-I", "-isystem"};

// What a beginning depends on: the compiler's own arguments, in which the folders of headers stand that
// clang's driver took from the system and from the environment.
class Key {
 public:
  // Nothing where clang's driver refuses the job: its compilation says why.
  static std::optional<Key> of(const frontend::Job& job) {
    auto words = frontend::beginning_command(job);
    if (!words) return std::nullopt;
    return Key(std::move(*words));
  }
  cache::Digest digest(const std::string& lines) const {
    cache::KeyHash hash;
    hash.add(std::as_bytes(std::span(cache::build_identity())));
    hash.add("beginning");
    hash.add(lines);
    for (const std::string& word : words_) hash.add(word);
    return hash.digest();
  }

 private:
  explicit Key(std::vector<std::string> words) : words_(std::move(words)) {}
  std::vector<std::string> words_;
};

// What is known of a beginning.
struct Known {
  enum class State : uint64_t { asked_for, not_to_be_made, made };
  State state = State::asked_for;
  frontend::Beginning beginning;  // made
};
using State = Known::State;

// As it lies on disk. What was parsed stands behind two numbers, at a multiple of eight, as clang wants it.
std::string packed(const Known& known) {
  cache::Writer writer;
  writer.number(static_cast<uint64_t>(known.state));
  writer.text(known.beginning.parsed);
  for (const frontend::Beginning::Header& header : known.beginning.headers) {
    writer.text(header.name);
    writer.text(header.path);
  }
  return std::move(writer.out);
}

std::optional<Known> unpacked(const cache::Mapped& entry) {
  cache::Reader reader(entry.payload);
  Known own;
  own.state = static_cast<State>(reader.number());
  own.beginning.memory = entry.memory;
  own.beginning.parsed = reader.view();
  while (reader.ok && !reader.at_end()) {
    frontend::Beginning::Header header{reader.text(), reader.text()};
    own.beginning.headers.push_back(std::move(header));
  }
  if (!reader.ok) return std::nullopt;
  return own;
}

using SharedKnown = std::shared_ptr<const Known>;

class Beginnings {
 public:
  Beginnings() {
    const auto environment = [](const char* name) -> const char* { return setting(name); };
    const auto bytes = cache::cache_size(environment);  // a wrong size is told where devices are asked for
    const std::string directory = bytes ? cache::cache_directory(environment) : std::string();
    if (!directory.empty()) disk_.emplace(cache::Kind::beginning, directory, *bytes);
  }

  // Nothing: it was never asked for.
  SharedKnown find(const Key& key, const std::string& lines) {
    const cache::Digest digest = key.digest(lines);
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = kept_.find(digest); found != kept_.end()) return found->second;
    }
    const std::optional<cache::Mapped> stored = disk_ ? disk_->map(digest) : std::nullopt;
    std::optional<Known> known = stored ? unpacked(*stored) : std::nullopt;
    if (!known) return nullptr;
    known->beginning.lines = lines;
    return keep(digest, std::move(*known));
  }

  SharedKnown make(const frontend::Job& job, const Key& key, const std::string& lines) {
    std::optional<frontend::Beginning> parsed = frontend::precompile(job, lines);
    Known known{parsed ? State::made : State::not_to_be_made, {}};
    if (parsed) known.beginning = std::move(*parsed);
    return put(key.digest(lines), std::move(known));
  }

  void note_asked(const Key& key, const std::string& lines) { (void)put(key.digest(lines), Known()); }
  // Without a place for it on disk nobody comes back for it.
  bool can_keep_more() { return disk_ && disk_->has_room(usual_bytes); }

 private:
  SharedKnown put(const cache::Digest& digest, Known known) {
    if (disk_) (void)disk_->store(digest, packed(known));
    return keep(digest, std::move(known));
  }
  SharedKnown keep(const cache::Digest& digest, Known known) {
    auto own = std::make_shared<Known>(std::move(known));
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= most_kept) kept_.clear();
    kept_.insert_or_assign(digest, own);
    return own;
  }

  std::optional<cache::DiskCache> disk_;
  std::mutex mutex_;
  std::map<cache::Digest, SharedKnown> kept_;
};

// Never destroyed: programs compile until the very end of a process.
Beginnings& beginnings() {
  static auto& own = *new Beginnings;
  return own;
}

Shared usable(const SharedKnown& known) {
  if (known == nullptr || known->state != State::made) return nullptr;
  return {known, &known->beginning};
}

// The folders in arguments like -I folder and -isystemfolder.
std::vector<fs::path> folders_in(const std::vector<std::string>& words) {
  std::vector<fs::path> found;
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const std::string_view option : folder_options) {
      if (!words[i].starts_with(option)) continue;
      if (words[i].size() > option.size())
        found.emplace_back(words[i].substr(option.size()));
      else if (i + 1 < words.size())
        found.emplace_back(words[++i]);
      break;
    }
  return found;
}

// What a program's folders would put in place of a header of the system.
bool is_shadowed(const frontend::Beginning& beginning, const std::vector<fs::path>& folders) {
  std::error_code none;
  for (const fs::path& folder : folders)
    for (const auto& [name, path] : beginning.headers) {
      const fs::path other = folder / name;
      if (fs::exists(other, none) && !fs::equivalent(other, path, none)) return true;
    }
  return false;
}

// What is included before the file's first line comes before its own headers. Whole debugging information
// has what the headers declare, used or not, which clang leaves out of what it reads parsed.
bool is_alone(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("-include") || word.starts_with("--include=") || word.starts_with("-imacros") ||
           (word.starts_with("-g") && !word.starts_with("-gline-"));
  });
}

// The lines of a source's beginning: those of its first headers that are the system's.
std::string lines_of(const Source& source, const std::vector<fs::path>& folders) {
  std::ifstream file(source.path, std::ios::binary);
  std::string text(64 << 10, '\0');  // nobody has more to say before the first header
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::string lines;
  std::error_code none;
  for (const std::string& name : leading_headers(text)) {
    if (std::ranges::any_of(folders, [&](const fs::path& folder) { return fs::exists(folder / name, none); }))
      break;
    lines += "#include <" + name + ">\n";
  }
  return lines;
}

}  // namespace

Shared get(const frontend::Job& job, const std::string& lines) {
  const std::optional<Key> key = Key::of(job);
  if (!key) return nullptr;
  const SharedKnown known = beginnings().find(*key, lines);
  const bool is_decided = known != nullptr && known->state != State::asked_for;
  return usable(is_decided ? known : beginnings().make(job, *key, lines));
}

Shared renew(const frontend::Job& job, const std::string& lines) {
  const std::optional<Key> key = Key::of(job);
  return key ? usable(beginnings().make(job, *key, lines)) : nullptr;
}

frontend::Job Source::whole() const {
  frontend::Job whole = job;
  whole.arguments.insert(whole.arguments.begin(), folders.begin(), folders.end());
  whole.arguments.insert(whole.arguments.end(), own.begin(), own.end());
  whole.arguments.push_back(path);
  return whole;
}

frontend::Product compile(const Source& source) {
  frontend::Job whole = source.whole();
  if (is_alone(whole.arguments)) return frontend::compile(whole);
  const std::optional<Key> key = Key::of(source.job);
  if (!key) return frontend::compile(whole);
  const std::vector<fs::path> folders = folders_in(source.folders);
  const auto shared = [&](const std::string& lines) -> Shared {
    SharedKnown known = beginnings().find(*key, lines);
    if (known == nullptr && !lines.empty())
      beginnings().note_asked(*key, lines);
    else if ((known == nullptr || known->state == State::asked_for) && beginnings().can_keep_more())
      known = beginnings().make(source.job, *key, lines);
    Shared found = usable(known);
    return found != nullptr && !is_shadowed(*found, folders) ? found : nullptr;
  };
  Shared beginning = shared(lines_of(source, folders));
  if (beginning == nullptr) beginning = shared("");
  whole.beginning = beginning.get();
  frontend::Product product = frontend::compile(whole);
  if (!product.stale_beginning) return product;
  beginning = usable(beginnings().make(source.job, *key, beginning->lines));
  whole.beginning = beginning.get();
  return frontend::compile(whole);
}

}  // namespace heddle::beginnings
