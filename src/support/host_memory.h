// The host's memory: how much a process can still get, and sizes as people write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace heddle {

// Bytes that the process can get before the system ends some process: what is free or can be freed, swap
// included, or what the process's control groups (versions 1 and 2) leave if that is less. Nothing when the
// system does not say. `root` is where /proc and /sys lie.
std::optional<uint64_t> available_host_memory(const std::filesystem::path& root = "/");

// "12345", or a number with K, M or G.
std::optional<uint64_t> byte_count(std::string_view text);

}  // namespace heddle
