"""Ratios of kernels' times by OpenCL's events, on the device's clock."""
import numpy
import pyopencl as cl

device = [p for p in cl.get_platforms() if p.name == "Heddle"][0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
functions = [kind + name for name in ("sin", "cos", "tan", "exp") for kind in ("", "half_", "native_")]
source = "".join(f"__kernel void of_{f}(__global float* a) {{ int i = get_global_id(0); a[i] = {f}(a[i]); }}\n" for f in functions)
source += """__kernel void chain(__global float* a, float b) {
  int i = get_global_id(0);
  float x = a[i];
  for (int k = 0; k < 256; ++k) { float product = x * b; x = product + b; }
  a[i] = x;
}"""
count = 240 * 256
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.ones(count, numpy.float32))


def time(kernel, options, *arguments):
    event = getattr(cl.Program(context, source).build(options=options), kernel)(queue, (count,), (256,), buffer, *arguments)
    event.wait()
    return event.profile.end - event.profile.start


for name in ("sin", "cos", "tan", "exp"):
    full, half, native = (time(f"of_{kind}{name}", []) for kind in ("", "half_", "native_"))
    print(name, "half_ is faster" if half < 0.9 * full else f"half_ {half} ns, full {full}",
          "native_ is no slower" if native <= half else f"native_ {native} ns")
plain, joined = time("chain", [], numpy.float32(1.5)), time("chain", ["-cl-mad-enable"], numpy.float32(1.5))
print("mad", "gains" if plain > 1.5 * joined else f"{plain} and {joined} ns")
