// heddle devices: the catalogue, what deviceQuery prints of a device, and everything known about one or about
// a compute capability.
#include <array>
#include <cstdio>
#include <ostream>
#include <string>

#include "arch/device.h"
#include "cli/commands.h"
#include "machine/device_query.h"
#include "machine/driver_version.h"
#include "machine/machine.h"

namespace heddle::cli {

namespace {

// "177.4 GB/s", "1.5 GiB": one digit, as data sheets have it.
std::string one_digit(double value, std::string_view unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f ", value);
  return text.data() + std::string(unit);
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(width, out.size()), ' ');
  return out;
}

void list(std::ostream& out) {
  const auto row = [&out](std::string_view id, std::string_view name, std::string_view capability,
                          std::string_view multiprocessors, std::string_view cores, std::string_view memory,
                          std::string_view bandwidth) {
    out << padded(id, 16) << padded(name, 46) << padded(capability, 12) << padded(multiprocessors, 17)
        << padded(cores, 8) << padded(memory, 12) << bandwidth << '\n';
  };
  row("id", "name", "capability", "multiprocessors", "cores", "memory", "bandwidth");
  for (const arch::Device& device : arch::all_devices()) {
    row(device.id, device.name, to_string(device.capability()), std::to_string(device.board.multiprocessors),
        std::to_string(arch::cores(device)),
        one_digit(static_cast<double>(device.dram.total_bytes) / (1u << 30), "GiB"),
        one_digit(static_cast<double>(theoretical_bandwidth(device)) / 1e9, "GB/s"));
  }
}

void print(std::ostream& out, const std::vector<arch::Fact>& facts) {
  for (const arch::Fact& fact : facts) out << fact.name << ' ' << fact.value << '\n';
}

void print_attributes(std::ostream& out, const arch::Device& device) {
  for (std::size_t i = 0; i < arch::attribute_count; ++i) {
    const auto attribute = static_cast<arch::Attribute>(i);
    const arch::AttributeValue& value = device.attribute(attribute);
    if (value.kind == arch::AttributeValue::Kind::absent) continue;
    out << name(attribute) << ' ' << to_string(value) << '\n';
  }
}

// "4.0" as CUDA numbers it, 4000; 0: no version.
int version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto major = parse_count(text.substr(0, dot));
  const auto minor = dot == text.npos ? 0 : parse_count(text.substr(dot + 1));
  if (!major || !minor || *major < 1 || *minor > 9) return 0;
  const auto version = static_cast<int>(std::min<uint64_t>(*major, 1000) * 1000 + *minor * 10);
  return version <= machine::newest_driver_version ? version : 0;
}

Exit print_query(const Arguments& arguments, const std::vector<const arch::Device*>& devices,
                 Console& console) {
  machine::QueryVersions versions{machine::newest_driver_version, machine::runtime_version};
  if (const std::string_view asked = arguments.value("--cuda"); !asked.empty()) {
    versions.driver = versions.runtime = version_of(asked);
    if (versions.driver == 0) {
      complain(console, "--cuda: '" + std::string(asked) + "' is no version from 1.0 to " +
                            machine::version_text(machine::newest_driver_version));
      return Exit::usage;
    }
  } else if (const auto driver = machine::driver_version(); driver.ok()) {
    versions.driver = *driver;
  } else {
    complain(console, driver.error().message);
    return Exit::failed;
  }
  std::vector<machine::HostDevice> all;
  for (const arch::Device* device : devices) all.push_back({device, static_cast<uint32_t>(all.size())});
  console.out << machine::device_query(all, versions);
  return Exit::ok;
}

Exit run_devices(const Arguments& arguments, Console& console) {
  if (arguments.operands().empty()) {
    list(console.out);
    return Exit::ok;
  }
  const std::string_view wanted = arguments.operands().front();
  if (const arch::Architecture* architecture = arch::find_architecture(wanted)) {
    print(console.out, facts(*architecture));
    return Exit::ok;
  }
  const auto devices = machine::devices_of_list(wanted);
  if (!devices.ok() || devices->empty()) {
    complain(console,
             devices.ok() ? "'" + std::string(wanted) + "' names no device" : devices.error().message);
    return Exit::failed;
  }
  const arch::Device* device = devices->front();
  if (arguments.has("--facts")) {
    print(console.out, facts(*device));
  } else if (arguments.has("--record")) {
    const std::string_view text = record(*device);
    if (text.empty()) {
      complain(console, std::string(wanted) + ": is a record already");
      return Exit::failed;
    }
    console.out << text;
  } else if (arguments.has("--attributes")) {
    print_attributes(console.out, *device);
  } else {
    return print_query(arguments, *devices, console);
  }
  return Exit::ok;
}

constexpr std::array options{
    Option{"--attributes", "", "every attribute that the driver and the profiler answer for, name and value"},
    Option{"--facts", "", "the facts of the device's record and of its capability"},
    Option{"--cuda", "VERSION", "print as deviceQuery did with that version of CUDA: 4.0"},
    Option{
        "--record", "",
        "the device's record, to begin a file of one's own with: HEDDLE_DEVICE=./mine.toml is that device"},
};

}  // namespace

constexpr Command devices_command{
    "devices",
    "[NAME]",
    0,
    1,
    "the devices that programs can run as",
    "Without NAME, lists the devices. With the name of a device, or several with commas between, or the file "
    "of "
    "one's own, prints what\n"
    "deviceQuery of the CUDA samples prints of them. With a compute capability (sm_70), prints its facts.",
    options,
    run_devices};

}  // namespace heddle::cli
