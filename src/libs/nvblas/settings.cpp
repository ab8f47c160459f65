#include "libs/nvblas/settings.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "libs/common/runtime.h"

namespace heddle::nvblas {
namespace {

int device_count() {
  int count = 0;
  return HEDDLE_RUNTIME(cudaGetDeviceCount)(&count) == cudaSuccess ? count : 0;
}

// Those of the kind that device 0 is: ALL0.
std::vector<int> alike(int count) {
  std::vector<int> devices;
  const auto kind = [](int device) {
    int major = 0, minor = 0, processors = 0;
    HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&major, cudaDevAttrComputeCapabilityMajor, device);
    HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&minor, cudaDevAttrComputeCapabilityMinor, device);
    HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&processors, cudaDevAttrMultiProcessorCount, device);
    return std::vector{major, minor, processors};
  };
  for (int i = 0; i < count; ++i)
    if (i == 0 || kind(i) == kind(0)) devices.push_back(i);
  return devices;
}

bool number(const std::string& word, int& value) {
  char* end = nullptr;
  errno = 0;
  const long parsed = std::strtol(word.c_str(), &end, 10);
  if (end == word.c_str() || *end != '\0' || errno != 0 || parsed < 0 || parsed > 1 << 20) return false;
  value = static_cast<int>(parsed);
  return true;
}

enum class Line { good, unknown, wrong };

Line read_devices(std::istringstream& words, Settings& settings) {
  const int count = device_count();
  std::vector<int> devices;
  std::string word;
  while (words >> word && word.front() != '#') {
    int device = 0;
    if (word == "ALL") {
      for (int i = 0; i < count; ++i) devices.push_back(i);
    } else if (word == "ALL0") {
      devices = alike(count);
    } else if (!number(word, device) || device >= count ||
               std::find(devices.begin(), devices.end(), device) != devices.end()) {
      return Line::wrong;
    } else {
      devices.push_back(device);
    }
  }
  if (devices.empty()) return Line::wrong;
  settings.devices = devices;
  std::fprintf(settings.log, "[NVBLAS] Using devices :");
  for (const int device : devices) std::fprintf(settings.log, "%d ", device);
  std::fprintf(settings.log, "\n");
  return Line::good;
}

Line read_log(const std::string& name, Settings& settings) {
  std::FILE* const log = std::fopen(name.c_str(), "w");
  if (log == nullptr) {
    std::fprintf(settings.log, "[NVBLAS] Cannot Log File '%s'\n", name.c_str());
    return Line::good;
  }
  std::setvbuf(log, nullptr, _IOLBF, 0);
  settings.log = log;
  return Line::good;
}

Line read_host(const std::string& name, Settings& settings) {
  settings.host = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (settings.host == nullptr)
    std::fprintf(settings.log, "[NVBLAS] Cannot open CPU Library '%s'\n", name.c_str());
  return Line::good;
}

Line read_ratio(const std::string& routine, const std::string& word, Settings& settings) {
  char* end = nullptr;
  const float ratio = std::strtof(word.c_str(), &end);
  if (end == word.c_str() || ratio < 0 || ratio > 1) return Line::wrong;
  settings.ratios[routine] = ratio;
  return Line::good;
}

Line read_line(const std::string& text, Settings& settings) {
  std::istringstream words(text);
  std::string keyword, word;
  if (!(words >> keyword) || keyword.front() == '#') return Line::good;
  constexpr std::string_view disabled = "NVBLAS_GPU_DISABLED_", ratio = "NVBLAS_CPU_RATIO_";
  if (keyword == "NVBLAS_GPU_LIST") return read_devices(words, settings);
  words >> word;
  if (keyword == "NVBLAS_TRACE_LOG_ENABLED") {
    settings.trace = true;
  } else if (keyword == "NVBLAS_AUTOPIN_MEM_ENABLED") {
    settings.pins = true;
  } else if (keyword.starts_with(disabled)) {
    settings.disabled.insert(keyword.substr(disabled.size()));
  } else if (word.empty()) {
    return Line::unknown;
  } else if (keyword == "NVBLAS_LOGFILE") {
    return read_log(word, settings);
  } else if (keyword == "NVBLAS_CPU_BLAS_LIB") {
    return read_host(word, settings);
  } else if (keyword == "NVBLAS_TILE_DIM") {
    int tile = 0;
    if (!number(word, tile) || tile == 0) return Line::unknown;
    settings.tile = tile;
  } else if (keyword.starts_with(ratio)) {
    return read_ratio(keyword.substr(ratio.size()), word, settings);
  } else {
    return Line::unknown;
  }
  return Line::good;
}

void read_file(std::istream& file, Settings& settings) {
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    const Line what = read_line(text, settings);
    if (what == Line::unknown)
      std::fprintf(settings.log, "[NVBLAS] Cannot parse line %d in config file\n", line);
    if (what == Line::wrong) std::fprintf(settings.log, "[NVBLAS] Problem parsing line %d\n", line);
  }
}

}  // namespace

Settings read_settings() {
  Settings settings;
  const char* const named = std::getenv("NVBLAS_CONFIG_FILE");
  const char* const name = named != nullptr ? named : "nvblas.conf";
  if (named != nullptr)
    std::fprintf(stderr, "[NVBLAS] NVBLAS_CONFIG_FILE environment variable is set to '%s'\n", name);
  else
    std::fprintf(stderr,
                 "[NVBLAS] NVBLAS_CONFIG_FILE environment variable is NOT set : relying on default config "
                 "filename '%s'\n",
                 name);
  std::ifstream file(name);
  if (file)
    read_file(file, settings);
  else
    std::fprintf(stderr, "[NVBLAS] Cannot open %sconfig file '%s'\n", named != nullptr ? "" : "default ",
                 name);
  std::fprintf(settings.log, "[NVBLAS] Config parsed\n");
  if (settings.host == nullptr) std::fprintf(settings.log, "[NVBLAS] CPU Blas library need to be provided\n");
  return settings;
}

}  // namespace heddle::nvblas
