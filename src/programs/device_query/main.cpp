// bin/deviceQuery: the devices that CUDA programs see here, as the samples' program prints them.
#include <cstdio>
#include <string>

#include "machine/device_query.h"
#include "machine/driver_version.h"

extern "C" int heddle_main_device_query(int argc, char** argv) {
  using namespace heddle;
  const std::string program = argc > 0 ? argv[0] : "deviceQuery";
  if (argc > 1) {
    const bool help = std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h";
    std::fputs(
        "Usage: deviceQuery\n\nThe devices that CUDA programs see here, as the CUDA samples' program prints "
        "them. "
        "HEDDLE_DEVICES, HEDDLE_DEVICE\nand CUDA_VISIBLE_DEVICES choose them.\n",
        help ? stdout : stderr);
    return help ? 0 : 2;
  }
  const auto devices = machine::visible_devices_of_host();
  const auto driver = machine::driver_version();
  if (!devices || !driver) {
    std::fprintf(stderr, "heddle: %s\n", (devices ? driver.error() : devices.error()).message.c_str());
    std::printf(
        "%s Starting...\n\n CUDA Device Query (Runtime API) version (CUDART static linking)\n\n"
        "cudaGetDeviceCount returned 100\n-> no CUDA-capable device is detected\nResult = FAIL\n",
        program.c_str());
    return 1;
  }
  const std::string text = machine::device_query(*devices, {*driver, machine::runtime_version}, program);
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0 ? 0 : 1;
}
