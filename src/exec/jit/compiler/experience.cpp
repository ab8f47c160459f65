#include "exec/jit/compiler/experience.h"

#include <algorithm>

#include "cache/bytes.h"

namespace heddle::exec::jit {

namespace {

using cache::Digest, cache::KeyHash, cache::Reader, cache::Writer;

constexpr uint64_t text_bytes = sizeof(uint64_t);  // of an entry in a list, at least

Digest key_of_text(std::string_view text) {
  KeyHash hash;
  hash.add(text);
  return hash.digest();
}

}  // namespace

std::string write_experience(const ExperienceRecord& record) {
  Writer w;
  w.number(record.experience.ran);
  w.number(record.experience.quick);
  w.number(record.texts.size());
  for (const Digest& text : record.texts) w.text({reinterpret_cast<const char*>(text.data()), text.size()});
  w.text(record.device);
  w.number(record.function);
  for (const uint32_t n : {record.shape.block.x, record.shape.block.y, record.shape.block.z}) w.number(n);
  w.text({reinterpret_cast<const char*>(record.shape.word_alignment.data()),
          record.shape.word_alignment.size()});
  w.number(record.shape.zero_environment);
  w.number(record.shape.merges ? 1 : 0);
  const Dim3& cluster = record.shape.cluster;
  for (const uint32_t n : {cluster.x, cluster.y, cluster.z}) w.number(n);
  return std::move(w.out);
}

std::optional<ExperienceRecord> read_experience(std::string_view bytes) {
  Reader r(bytes);
  ExperienceRecord record;
  record.experience.ran = r.number();
  record.experience.quick = r.number();
  const uint64_t texts = r.number();
  if (!r.ok || !r.can_hold(texts, text_bytes)) return std::nullopt;
  record.texts.resize(texts);
  for (Digest& text : record.texts) {
    const std::string digits = r.text();
    if (digits.size() != text.size()) return std::nullopt;
    std::copy(digits.begin(), digits.end(), text.begin());
  }
  record.device = r.text();
  record.function = r.small();
  for (uint32_t* n : {&record.shape.block.x, &record.shape.block.y, &record.shape.block.z}) *n = r.small();
  const std::string alignment = r.text();
  record.shape.word_alignment.assign(alignment.begin(), alignment.end());
  record.shape.zero_environment = r.small();
  record.shape.merges = r.flag();
  Dim3& cluster = record.shape.cluster;
  for (uint32_t* n : {&cluster.x, &cluster.y, &cluster.z}) *n = r.small();
  if (!r.ok || !r.at_end()) return std::nullopt;
  return record;
}

Experiences::Experiences(const std::string& directory, uint64_t max_bytes)
    : records_(cache::Kind::experience, directory, max_bytes),
      texts_(cache::Kind::text, directory, max_bytes) {}

std::optional<ExperienceRecord> Experiences::read(const Digest& key) {
  const auto bytes = records_.find(key);
  if (!bytes) return std::nullopt;
  auto record = read_experience(*bytes);
  if (!record) records_.remove(key);  // whole, but of no use
  return record;
}

Experience Experiences::find(const Digest& key) {
  const auto record = read(key);
  return record ? record->experience : Experience{};
}

void Experiences::add(const Digest& key, const CompileRequest& request, const Experience& more) {
  auto record = read(key);
  if (!record) {
    record.emplace();
    record->device = request.device->id;
    record->function = request.function;
    record->shape = request.shape;
    for (const module::Unit& unit : request.image->units) {
      const std::string_view text = unit.source->text();
      record->texts.push_back(key_of_text(text));
      // Without its text it is experience all the same.
      (void)texts_.store(record->texts.back(), text);
    }
  }
  record->experience.ran += more.ran;
  record->experience.quick = std::max(record->experience.quick, more.quick);
  (void)records_.store(key, write_experience(*record));
}

std::vector<Waiting> Experiences::all() {
  std::vector<Waiting> all;
  for (const Digest& key : records_.keys()) {
    auto record = read(key);
    if (!record) continue;
    Waiting one;
    one.key = key;
    one.experience = record->experience;
    one.device = std::move(record->device);
    one.function = record->function;
    one.shape = std::move(record->shape);
    for (const Digest& text : record->texts)
      if (auto found = texts_.find(text)) one.texts.push_back(std::move(*found));
    if (one.texts.size() == record->texts.size())
      all.push_back(std::move(one));
    else
      records_.remove(key);
  }
  return all;
}

}  // namespace heddle::exec::jit
