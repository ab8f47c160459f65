// heddle devices: the catalogue, and everything known about one device or compute capability.
#include <array>
#include <cstdio>
#include <ostream>
#include <string>

#include "arch/device.h"
#include "cli/commands.h"

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
  const auto device = arch::find_device(wanted);
  if (!device.ok()) {
    complain(console, device.error().message);
    return Exit::failed;
  }
  if (arguments.has("--facts")) {
    print(console.out, facts(**device));
  } else if (arguments.has("--record")) {
    const std::string_view text = record(**device);
    if (text.empty()) {
      complain(console, std::string(wanted) + ": is a record already");
      return Exit::failed;
    }
    console.out << text;
  } else {
    print_attributes(console.out, **device);
  }
  return Exit::ok;
}

constexpr std::array options{
    Option{"--facts", "",
           "the facts of the device's record and of its capability instead of the driver's attributes"},
    Option{"--attributes", "", "every attribute that the driver and the profiler answer for"},
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
    "Without NAME, lists the devices. With the name of a device or the file of one's own, prints every "
    "attribute that its driver and\n"
    "profiler answer for, one line each, name and value. With a compute capability (sm_70), prints its "
    "facts.",
    options,
    run_devices};

}  // namespace heddle::cli
