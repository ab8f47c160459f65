// OpenCL C in process: source to an object (LLVM bitcode), objects to a library or to a program in PTX.
//
// Thread safe, and nothing of what it is given can end the process. How a program's kernels meet their host:
//
// - Parameters lie as the PTX entry declares them, in the order of the source; OpenClArgument has offset and
// size.
//   A pointer to global or constant memory is a device address; one to local memory an offset into the
//   block's shared memory, behind the kernel's own (module::Function::static_shared_bytes, aligned).
// - An image is the handle that runtime::create_image() gives, whatever its access; a sampler that of
//   runtime::create_sampler(). Samplers that the source declares need nothing of the host.
// - What work-item functions tell comes from %tid, %ntid, %ctaid and the registers of OpenClEnvironment,
// which
//   the launch sets (exec::Launch::environment). Each launch is of blocks of one size: a range whose size is
//   no multiple of its group's is several launches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::frontend {

// %envreg<n>, for n from first to first + 2: dimensions x, y, z. 32 bits each; "high" are the upper halves.
// Most are 0 for a launch that is a whole range and begins at its origin: executors know that when they
// compile.
enum class OpenClEnvironment : uint8_t {
  first_item = 3,   // get_global_id() of the launch's first work-item: offset and all
  group_count = 6,  // get_num_groups() less the launch's groups, modulo 2^32
  first_item_high = 9,
  enqueued_local = 12,  // get_enqueued_local_size() less the launch's group size, modulo 2^32
  offset = 15,          // get_global_offset()
  offset_high = 18,
  global_size = 21,  // get_global_size() less the launch's work-items, modulo 2^64
  global_size_high = 24,
  dimensions = 27,   // get_work_dim(), one register
  first_group = 28,  // get_group_id() of block 0 of this launch
};

enum class OpenClKind : uint8_t { value, pointer, local, image, sampler };
enum class OpenClAddress : uint8_t { private_, global, local, constant };
enum class OpenClAccess : uint8_t { none, read_only, write_only, read_write };

struct OpenClArgument {
  std::string name, type_name;  // as clGetKernelArgInfo gives them; empty without -cl-kernel-arg-info
  OpenClKind kind = OpenClKind::value;
  OpenClAddress address = OpenClAddress::private_;
  OpenClAccess access = OpenClAccess::none;
  bool is_const = false, is_restrict = false, is_volatile = false, is_pipe = false;
  std::string image;       // "image2d_array_t" of an image: which shape it takes
  uint32_t offset = 0;     // in the entry's parameters
  uint32_t size = 0;       // bytes; of a local pointer those of its address
  uint32_t alignment = 1;  // of the parameter; of a local pointer what it points to asks for
};

struct OpenClKernel {
  std::string name;
  std::vector<OpenClArgument> arguments;
  std::array<uint32_t, 3> required_group{};  // reqd_work_group_size; zeros: none
  std::array<uint32_t, 3> group_hint{};      // work_group_size_hint
  std::string vector_hint;                   // "float4"
  std::string attributes;                    // as CL_KERNEL_ATTRIBUTES has them
  uint32_t required_sub_group = 0;           // intel_reqd_sub_group_size
};

// The device that a program is for.
struct OpenClTarget {
  std::string capability = "52";  // "13", "90a": as find_target() takes it
  // cl_khr_* and, for OpenCL C 3.0, __opencl_c_*: what the device shows, and all that programs may use.
  std::vector<std::string> extensions;
};

struct OpenClHeader {
  std::string name;  // as #include names it
  std::string text;
};

// What an options string says that is not clang's to know.
struct OpenClSettings {
  bool argument_info = false;      // -cl-kernel-arg-info
  bool verbose = false;            // -cl-nv-verbose: the caller writes a line of resources for each kernel
  uint32_t most_registers = 0;     // -cl-nv-maxrregcount; 0: no limit
  uint32_t optimization = 3;       // -cl-nv-opt-level, -cl-opt-disable: 0
  bool create_library = false;     // -create-library
  bool correctly_rounded = false;  // -cl-fp32-correctly-rounded-divide-sqrt
};

enum class OpenClStatus : uint8_t {
  ok,
  invalid_options,  // log names the option
  failed,           // log has clang's diagnostics, or how the source made it crash
  no_compiler,      // something of clang's installation is missing: log says what
};

struct OpenClResult {
  OpenClStatus status = OpenClStatus::failed;
  bool ok() const { return status == OpenClStatus::ok; }
  std::string log;     // file:line:column messages, as clang prints them; warnings of what worked
  std::string object;  // LLVM bitcode: of compile(), and of link() to a library
  std::string ptx;     // of link() to a program, and of build()
  std::vector<OpenClKernel> kernels;
  OpenClSettings settings;
  // For who keeps results: the files that the source includes, as it names them, but for clang's own; and
  // whether the text asks when it is compiled.
  std::vector<std::string> files;
  bool tells_time = false;
};

// Options are the text that clBuildProgram takes.
OpenClResult compile_opencl(const OpenClTarget&, std::string_view source,
                            std::span<const OpenClHeader> headers, std::string_view options);
// Objects of compile() and of link() to a library, in any order.
OpenClResult link_opencl(const OpenClTarget&, std::span<const std::string> objects, std::string_view options);
// Both in one step, which is the faster way.
OpenClResult build_opencl(const OpenClTarget&, std::string_view source, std::string_view options);

// What the bytes of an object are, for clCreateProgramWithBinary.
enum class OpenClObject : uint8_t { damaged, object, library };
OpenClObject kind_of_object(std::string_view bytes);

// The kernels of PTX that link or build gave: it carries their description in comments. Nothing: it is none
// of ours, or damaged.
Result<std::vector<OpenClKernel>> kernels_of(std::string_view ptx);
// Whether there is a description, damaged or not.
bool describes_kernels(std::string_view ptx);

// Changes when the same source may give other PTX: part of the key of a cache on disk.
std::string opencl_compiler_version();

}  // namespace heddle::frontend
