#include "api/opencl/build_cache.h"

#include <utility>

#include "cache/bytes.h"
#include "support/read_file.h"
#include "support/setting.h"

namespace heddle::opencl {

namespace {

using cache::Digest, cache::KeyHash;
using frontend::OpenClResult, frontend::OpenClTarget;

enum class Step : uint8_t { compile, link, build };

KeyHash key_of(Step step, const OpenClTarget& target, std::string_view options) {
  KeyHash key;
  key.add(std::as_bytes(std::span(cache::build_identity())));
  key.add(frontend::opencl_compiler_version());
  key.add(static_cast<uint64_t>(step));
  key.add(target.capability);
  key.add(uint64_t{target.extensions.size()});
  for (const std::string& extension : target.extensions) key.add(extension);
  key.add(options);
  return key;
}

std::optional<Digest> digest_of_file(const std::string& name) {
  const auto bytes = read_file(name);
  if (!bytes) return std::nullopt;
  KeyHash hash;
  hash.add(*bytes);
  return hash.digest();
}

std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Nothing for what another time or another file would have made otherwise.
std::optional<std::string> write(const OpenClResult& result) {
  if (!result.ok() || result.tells_time) return std::nullopt;
  cache::Writer writer;
  writer.number(result.files.size());
  for (const std::string& file : result.files) {
    const auto digest = digest_of_file(file);
    if (!digest) return std::nullopt;
    writer.text(file);
    writer.text(text_of(*digest));
  }
  writer.text(result.log);
  writer.text(result.object);
  writer.text(result.ptx);
  const frontend::OpenClSettings& settings = result.settings;
  for (const bool flag :
       {settings.argument_info, settings.verbose, settings.create_library, settings.correctly_rounded})
    writer.number(flag ? 1 : 0);
  writer.number(settings.most_registers);
  writer.number(settings.optimization);
  return std::move(writer.out);
}

// Nothing when a file is not what it was.
std::optional<OpenClResult> read(std::string_view bytes) {
  cache::Reader reader(bytes);
  OpenClResult result;
  result.status = frontend::OpenClStatus::ok;
  for (uint64_t left = reader.number(); left != 0 && reader.ok; --left) {
    const std::string file = reader.text(), was = reader.text();
    const auto is = reader.ok ? digest_of_file(file) : std::nullopt;
    if (!is || text_of(*is) != was) return std::nullopt;
    result.files.push_back(file);
  }
  result.log = reader.text();
  result.object = reader.text();
  result.ptx = reader.text();
  frontend::OpenClSettings& settings = result.settings;
  settings.argument_info = reader.flag();
  settings.verbose = reader.flag();
  settings.create_library = reader.flag();
  settings.correctly_rounded = reader.flag();
  settings.most_registers = reader.small();
  settings.optimization = reader.small();
  if (!reader.ok || !reader.at_end()) return std::nullopt;
  if (!result.ptx.empty()) {
    auto kernels = frontend::kernels_of(result.ptx);
    if (!kernels) return std::nullopt;
    result.kernels = std::move(*kernels);
  }
  return result;
}

}  // namespace

BuildCache::BuildCache(const std::string& directory, uint64_t max_bytes) {
  if (!directory.empty()) disk_.emplace(cache::Kind::program, directory, max_bytes);
}

BuildCache& BuildCache::get() {
  // Never destroyed: programs build until the very end of a process.
  static auto& own = *[] {
    const auto environment = [](const char* name) -> const char* { return setting(name); };
    const auto bytes = cache::cache_size(environment);  // a wrong size is told where devices are asked for
    return new BuildCache(bytes ? cache::cache_directory(environment) : std::string(), bytes ? *bytes : 0);
  }();
  return own;
}

OpenClResult BuildCache::get(const KeyHash& hash, const std::function<OpenClResult()>& make) {
  if (!disk_) return make();
  const Digest key = hash.digest();
  if (const auto bytes = disk_->find(key))
    if (auto result = read(*bytes)) return std::move(*result);
  OpenClResult result = make();
  if (const auto bytes = write(result)) (void)disk_->store(key, *bytes);
  return result;
}

OpenClResult BuildCache::compile(const OpenClTarget& target, std::string_view source,
                                 std::span<const frontend::OpenClHeader> headers, std::string_view options) {
  KeyHash key = key_of(Step::compile, target, options);
  key.add(source);
  for (const frontend::OpenClHeader& header : headers) {
    key.add(header.name);
    key.add(header.text);
  }
  return get(key, [&] { return frontend::compile_opencl(target, source, headers, options); });
}

OpenClResult BuildCache::link(const OpenClTarget& target, std::span<const std::string> objects,
                              std::string_view options) {
  KeyHash key = key_of(Step::link, target, options);
  for (const std::string& object : objects) key.add(object);
  return get(key, [&] { return frontend::link_opencl(target, objects, options); });
}

OpenClResult BuildCache::build(const OpenClTarget& target, std::string_view source,
                               std::string_view options) {
  KeyHash key = key_of(Step::build, target, options);
  key.add(source);
  return get(key, [&] { return frontend::build_opencl(target, source, options); });
}

}  // namespace heddle::opencl
