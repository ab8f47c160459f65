#include "arch/record.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>

#include "arch/tables.h"
#include "support/spelling.h"
#include "support/toml.h"

namespace heddle::arch {

namespace {

using Done = std::optional<Error>;

// Devices are never destroyed, and what they point to neither.
std::string_view keep(std::string text) {
  static std::mutex mutex;
  static auto* texts = new std::deque<std::string>;
  const std::lock_guard lock(mutex);
  return texts->emplace_back(std::move(text));
}
std::span<const uint32_t> keep(std::vector<uint32_t> list) {
  static std::mutex mutex;
  static auto* lists = new std::deque<std::vector<uint32_t>>;
  const std::lock_guard lock(mutex);
  return lists->emplace_back(std::move(list));
}

// "unknown key; did you mean 'x'? known are x, y"
std::string unknown(std::string_view what, std::string_view word, std::span<const std::string_view> names,
                    std::string_view tail) {
  NearestWord nearest(word);
  for (const std::string_view name : names) nearest.consider(name);
  std::string out = "unknown " + std::string(what) + "; ";
  if (!nearest.best().empty()) out += "did you mean '" + std::string(nearest.best()) + "'? ";
  return out += tail;
}

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) (out += out.empty() ? "" : ", ") += name;
  return out;
}

std::string wanted(Key::Type type) {
  switch (type) {
    case Key::Type::u32: return "an integer from 0 to 4294967295";
    case Key::Type::u64: return "an integer from 0 to 9223372036854775807";
    case Key::Type::u32x2: return "a list of 2 integers";
    case Key::Type::u32x3: return "a list of 3 integers";
    case Key::Type::u32s: return "a list of integers";
    case Key::Type::ratio: return "a ratio [a, b], both above 0";
    case Key::Type::flag: return "true or false";
    case Key::Type::text: return "a string";
  }
  return {};
}

std::optional<uint64_t> integer(const TomlValue& value, uint64_t most) {
  const auto* number = std::get_if<TomlInteger>(&value.is);
  if (number == nullptr || (number->negative && number->magnitude != 0) || number->magnitude > most)
    return std::nullopt;
  return number->magnitude;
}

std::optional<std::vector<uint32_t>> integers(const TomlValue& value) {
  const auto* list = std::get_if<TomlList>(&value.is);
  if (list == nullptr) return std::nullopt;
  std::vector<uint32_t> out;
  for (const TomlValue& one : *list) {
    const auto number = integer(one, std::numeric_limits<uint32_t>::max());
    if (!number) return std::nullopt;
    out.push_back(static_cast<uint32_t>(*number));
  }
  return out;
}

template <class T>
T& at(void* facts, const Key& key) {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(facts) + key.offset);
}

// False when the value is not of the key's type.
bool store(void* facts, const Key& key, const TomlValue& value) {
  switch (key.type) {
    case Key::Type::u32: {
      const auto number = integer(value, std::numeric_limits<uint32_t>::max());
      if (number) at<uint32_t>(facts, key) = static_cast<uint32_t>(*number);
      return number.has_value();
    }
    case Key::Type::u64: {
      const auto number = integer(value, std::numeric_limits<int64_t>::max());  // rules are of signed numbers
      if (number) at<uint64_t>(facts, key) = *number;
      return number.has_value();
    }
    case Key::Type::flag: {
      const auto* flag = std::get_if<bool>(&value.is);
      if (flag != nullptr) at<bool>(facts, key) = *flag;
      return flag != nullptr;
    }
    case Key::Type::text: {
      if (value.text() != nullptr) at<std::string_view>(facts, key) = keep(*value.text());
      return value.text() != nullptr;
    }
    case Key::Type::u32x2:
    case Key::Type::u32x3:
    case Key::Type::u32s:
    case Key::Type::ratio: break;
  }
  auto list = integers(value);
  if (!list) return false;
  if (key.type == Key::Type::u32s) {
    if (list->empty()) return false;
    at<std::span<const uint32_t>>(facts, key) = keep(std::move(*list));
    return true;
  }
  if (list->size() != (key.type == Key::Type::u32x3 ? 3u : 2u)) return false;
  if (key.type == Key::Type::ratio) {
    if ((*list)[0] == 0 || (*list)[1] == 0) return false;
    at<Ratio>(facts, key) = {(*list)[0], (*list)[1]};
  } else if (key.type == Key::Type::u32x2) {
    std::ranges::copy(*list, at<std::array<uint32_t, 2>>(facts, key).begin());
  } else {
    std::ranges::copy(*list, at<std::array<uint32_t, 3>>(facts, key).begin());
  }
  return true;
}

void store_default(void* facts, const Key& key) {
  switch (key.type) {
    case Key::Type::u32: at<uint32_t>(facts, key) = static_cast<uint32_t>(key.number); break;
    case Key::Type::u64: at<uint64_t>(facts, key) = key.number; break;
    case Key::Type::flag: at<bool>(facts, key) = key.number != 0; break;
    case Key::Type::text: at<std::string_view>(facts, key) = key.text; break;
    case Key::Type::u32x2:
    case Key::Type::u32x3:
    case Key::Type::u32s:
    case Key::Type::ratio: break;
  }
}

// As programs can hold it (cudaDeviceProp::name).
bool is_name(std::string_view name) {
  return !name.empty() && name.size() < 256 &&
         std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

std::vector<std::string_view> names_of(std::span<const Key> keys, std::string_view group) {
  std::vector<std::string_view> names;
  for (const Key& key : keys) {
    if (key.group == group) names.push_back(key.name);
  }
  return names;
}

std::vector<std::string_view> groups_of(std::span<const Key> keys) {
  std::vector<std::string_view> groups;
  for (const Key& key : keys) {
    if (groups.empty() || groups.back() != key.group) groups.push_back(key.group);
  }
  return groups;
}

class RecordReader {
 public:
  RecordReader(std::string_view file, std::string_view id) : file_(file) {
    device_.id = keep(std::string(id));
  }

  Result<Device> read(std::string_view text) {
    auto root = read_toml(text);
    if (!root) return Error{std::string(file_) + ": " + root.error().message};
    if (Done bad = read(*root)) return std::move(*bad);
    return std::move(device_);
  }

 private:
  Error error(std::string_view key, std::string_view what) const {
    return {std::string(file_) + ": " + std::string(key) + ": " + std::string(what)};
  }
  Error expected(std::string_view key, std::string_view what, const TomlValue* found) const {
    return error(key, "expected " + std::string(what) + ", found " + (found ? shown(*found) : "nothing"));
  }

  Done read(const TomlTable& root) {
    const std::vector<std::string_view> groups = groups_of(device_keys());
    std::vector<std::string_view> known{"name", "capability", "source"};
    known.insert(known.end(), groups.begin(), groups.end());
    known.insert(known.end(), {"like", "default", "arch", "attributes"});
    if (Done bad = check_keys(root, known, "")) return bad;
    if (Done bad = start(root)) return bad;
    for (const char* key : {"name", "source"}) {
      const TomlValue* value = find(root, key);
      std::string_view& text = std::string_view(key) == "name" ? device_.name : device_.source;
      if (value == nullptr && !text.empty()) continue;
      if (value == nullptr || value->text() == nullptr) return expected(key, "a string", value);
      text = keep(*value->text());
    }
    if (!is_name(device_.name))
      return expected("name", "1 to 255 characters of one line", find(root, "name"));
    if (const TomlValue* value = find(root, "default"); value && !std::holds_alternative<bool>(value->is))
      return expected("default", "true or false", value);
    if (Done bad = read_arch(find(root, "arch"))) return bad;
    auto* facts = static_cast<DeviceFacts*>(&device_);
    for (const std::string_view group : groups) {
      if (Done bad = read_group(device_keys(), group, std::string(group), find(root, group), facts))
        return bad;
    }
    for (const Key& key : device_keys()) {
      const TomlValue* group = find(root, key.group);
      if (like_ || key.has_default || (group != nullptr && find(*group->table(), key.name) != nullptr))
        continue;
      return expected(std::string(key.group) + '.' + std::string(key.name), wanted(key.type), nullptr);
    }
    return read_attributes(find(root, "attributes"));
  }

  // The device as it is before anything of its own: another one, or its capability's.
  Done start(const TomlTable& root) {
    const TomlValue* like = find(root, "like");
    const TomlValue* capability = find(root, "capability");
    if (like != nullptr) {
      if (like->text() == nullptr) return expected("like", "a string, the id of another record", like);
      const auto base = find_device(*like->text());
      if (!base) return error("like", base.error().message);
      const std::string_view id = device_.id;
      device_ = **base;
      device_.id = id;
      stated_ = stated(**base);
      like_ = true;
    } else {
      for (const Key& key : device_keys()) store_default(static_cast<DeviceFacts*>(&device_), key);
    }
    if (like_ && capability == nullptr) return std::nullopt;
    std::string all;
    for (const Architecture& one : all_architectures()) {
      if (capability && capability->text() && to_string(one.capability) == *capability->text()) {
        device_.arch = one;
        return std::nullopt;
      }
      (all += all.empty() ? "" : ", ") += to_string(one.capability);
    }
    return expected("capability", "a string, one of " + all, capability);
  }

  Done check_keys(const TomlTable& table, std::span<const std::string_view> known,
                  const std::string& prefix) {
    for (const TomlEntry& entry : table) {
      const std::string_view key = entry.key;
      if (std::ranges::find(known, key) != known.end()) continue;
      return error(prefix + entry.key, unknown("key", key, known, "known are " + joined(known)));
    }
    return std::nullopt;
  }

  Done read_group(std::span<const Key> keys, std::string_view group, const std::string& prefix,
                  const TomlValue* data, void* facts) {
    if (data == nullptr) return std::nullopt;
    if (data->table() == nullptr) return expected(prefix, "a table", data);
    for (const auto& [name, value] : *data->table()) {
      const auto key =
          std::ranges::find_if(keys, [&](const Key& one) { return one.group == group && one.name == name; });
      const std::string where = prefix + '.' + name;
      if (key == keys.end()) {
        const std::vector<std::string_view> names = names_of(keys, group);
        return error(where, unknown("key", name, names, '[' + std::string(group) + "] has " + joined(names)));
      }
      if (!store(facts, *key, value)) return expected(where, wanted(key->type), &value);
    }
    return std::nullopt;
  }

  Done read_arch(const TomlValue* data) {
    if (data == nullptr) return std::nullopt;
    if (data->table() == nullptr) return expected("arch", "a table", data);
    std::vector<std::string_view> known = groups_of(arch_keys());
    known.emplace_back("features");
    if (Done bad = check_keys(*data->table(), known, "arch.")) return bad;
    auto* facts = static_cast<ArchitectureFacts*>(&device_.arch);
    for (const std::string_view group : known) {
      const TomlValue* own = find(*data->table(), group);
      const std::string prefix = "arch." + std::string(group);
      if (Done bad =
              group == "features" ? read_features(own) : read_group(arch_keys(), group, prefix, own, facts))
        return bad;
    }
    return std::nullopt;
  }

  Done read_features(const TomlValue* data) {
    if (data == nullptr) return std::nullopt;
    if (data->table() == nullptr) return expected("arch.features", "a table", data);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < feature_count; ++i)
      names.push_back(heddle::arch::name(static_cast<Feature>(i)));
    for (const auto& [name, value] : *data->table()) {
      const std::string where = "arch.features." + name;
      const auto found = std::ranges::find(names, std::string_view(name));
      if (found == names.end())
        return error(where, unknown("feature", name, names, "`heddle devices sm_90` lists them"));
      const auto* flag = std::get_if<bool>(&value.is);
      if (flag == nullptr) return expected(where, "true or false", &value);
      device_.arch.features.set(static_cast<Feature>(found - names.begin()), *flag);
    }
    return std::nullopt;
  }

  // What the record that this one is like says itself: with other facts its derived attributes change.
  static std::vector<std::pair<Attribute, AttributeValue>> stated(const Device& base) {
    std::vector<std::pair<Attribute, AttributeValue>> out;
    for (std::size_t i = 0; i < attribute_count; ++i) {
      const auto attribute = static_cast<Attribute>(i);
      if (base.stated.test(i)) out.emplace_back(attribute, base.attribute(attribute));
    }
    return out;
  }

  Done read_attributes(const TomlValue* data) {
    if (data != nullptr && data->table() == nullptr) return expected("attributes", "a table", data);
    static const TomlTable none;
    for (const auto& [name, value] : data != nullptr ? *data->table() : none) {
      const std::string where = "attributes." + name;
      const auto attribute = find_attribute(name);
      if (!attribute) {
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < attribute_count; ++i)
          names.push_back(heddle::arch::name(static_cast<Attribute>(i)));
        return error(where,
                     unknown("attribute", name, names, "`heddle devices h200 --attributes` lists them"));
      }
      if (value.text() != nullptr) {
        stated_.emplace_back(*attribute, AttributeValue{AttributeValue::Kind::text, 0, keep(*value.text())});
        continue;
      }
      const auto* number = std::get_if<TomlInteger>(&value.is);
      constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      if (number == nullptr || number->magnitude > most)
        return expected(where, "an integer or a string", &value);
      const auto magnitude = static_cast<int64_t>(number->magnitude);
      stated_.emplace_back(
          *attribute,
          AttributeValue{AttributeValue::Kind::number, number->negative ? -magnitude : magnitude, {}});
    }
    return finish();
  }

  Done finish() {
    for (const Rule& rule : rules()) {
      const int64_t left = evaluate(rule.left, device_), right = evaluate(rule.right, device_);
      if (!(rule.equal ? left == right : left <= right)) return contradiction(rule.title);
    }
    const std::span<const uint32_t> sizes = device_.arch.shared.configurations;
    if (!std::ranges::is_sorted(sizes) || sizes.back() != device_.arch.shared.per_multiprocessor)
      return contradiction("shared.configurations rise to per_multiprocessor");
    for (std::size_t i = 0; i < attribute_count; ++i) {
      const Expression rule = attribute_rules()[i];
      AttributeValue& value = device_.attributes[i];
      value = {};
      if (rule.count == 0) continue;
      const bool is_name = all_steps()[rule.first].from == From::name;
      value = is_name ? AttributeValue{AttributeValue::Kind::text, 0, device_.name}
                      : AttributeValue{AttributeValue::Kind::number, evaluate(rule, device_), {}};
    }
    device_.stated.reset();
    for (const auto& [attribute, value] : stated_) {
      device_.attributes[static_cast<std::size_t>(attribute)] = value;
      device_.stated.set(static_cast<std::size_t>(attribute));
    }
    return std::nullopt;
  }

  Error contradiction(std::string_view rule) const {
    return {std::string(file_) + ": contradicts itself: " + std::string(rule)};
  }

  std::string_view file_;
  Device device_{};
  bool like_ = false;
  std::vector<std::pair<Attribute, AttributeValue>> stated_;
};

int64_t fact(const Key& key, const void* facts, uint8_t component) {
  void* place = const_cast<void*>(facts);
  switch (key.type) {
    case Key::Type::u32: return at<uint32_t>(place, key);
    case Key::Type::u64: return static_cast<int64_t>(at<uint64_t>(place, key));
    case Key::Type::flag: return at<bool>(place, key) ? 1 : 0;
    case Key::Type::u32x2: return at<std::array<uint32_t, 2>>(place, key)[component];
    case Key::Type::u32x3: return at<std::array<uint32_t, 3>>(place, key)[component];
    case Key::Type::u32s:
    case Key::Type::ratio:
    case Key::Type::text: break;
  }
  return 0;
}

int64_t operand(const Step& step, const Device& device) {
  switch (step.from) {
    case From::number: return step.number;
    case From::name: return 0;
    case From::major: return device.arch.capability.major;
    case From::minor: return device.arch.capability.minor;
    case From::feature: return device.has(static_cast<Feature>(step.index)) ? 1 : 0;
    case From::architecture:
      return fact(arch_keys()[step.index], static_cast<const ArchitectureFacts*>(&device.arch),
                  step.component);
    case From::device:
      return fact(device_keys()[step.index], static_cast<const DeviceFacts*>(&device), step.component);
  }
  return 0;
}

}  // namespace

// Unsigned inside: a user's numbers may be anything, and none may be undefined.
int64_t evaluate(Expression expression, const Device& device) {
  uint64_t value = 0;
  for (const Step& step : all_steps().subspan(expression.first, expression.count)) {
    const auto right = static_cast<uint64_t>(operand(step, device));
    switch (step.operation) {
      case '*': value *= right; break;
      case '/': value = right == 0 ? 0 : value / right; break;
      case '%': value = right == 0 ? 0 : value % right; break;
      case '+': value += right; break;
      case '>': value = value > right ? 1 : 0; break;
      default: value = right;
    }
  }
  return static_cast<int64_t>(value);
}

Result<Device> read_record(std::string_view file, std::string_view id, std::string_view text) {
  return RecordReader(file, id).read(text);
}

}  // namespace heddle::arch
