"""What programs do with PyOpenCL; each piece prints whether its result is NumPy's."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.tools import get_or_register_dtype, match_dtype_to_c_struct

devices = cl.get_platforms()[0].get_devices()
context = cl.Context(devices)
queue = cl.CommandQueue(context, devices[-1], properties=cl.command_queue_properties.PROFILING_ENABLE)
random = np.random.default_rng(3)


def say(what, right):
    print(f"{what}: {'right' if right else 'wrong'}", flush=True)


def element_wise():
    x = random.standard_normal(10007).astype(np.float32)
    y = random.standard_normal(10007).astype(np.float32)
    a, b = cl_array.to_device(queue, x), cl_array.to_device(queue, y)
    kernel = ElementwiseKernel(context, "float k, float *x, float *y, float *z", "z[i] = k * x[i] + y[i] * y[i]", "k")
    out = cl_array.empty_like(a)
    kernel(np.float32(2.5), a, b, out)
    right = np.allclose(out.get(), np.float32(2.5) * x + y * y, rtol=1e-5, atol=1e-6)
    right &= np.allclose((a * 3 - b / 2).get(), x * 3 - y / 2, rtol=1e-5, atol=1e-6)
    c = (x[:1000] + 1j * y[:1000]).astype(np.complex64)
    right &= np.allclose((cl_array.to_device(queue, c) * (2 - 1j)).get(), c * (2 - 1j), rtol=1e-5, atol=1e-5)
    say("element-wise", right)


def reductions():
    x = random.integers(-1000, 1000, 50001).astype(np.int32)
    a = cl_array.to_device(queue, x)
    dot = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]", arguments="__global const int *x")
    right = int(dot(a).get()) == int((x * x).sum(dtype=np.int32))
    right &= int(cl_array.max(a).get()) == x.max() and int(cl_array.min(a).get()) == x.min()
    right &= int(cl_array.sum(a).get()) == x.sum()
    say("reductions", right)


MATRIX = """
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void multiply(global const float *a, global const float *b, global float *c, int n, local float *left, local float *right) {
  int x = get_local_id(0), y = get_local_id(1);
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    left[y * 16 + x] = a[get_global_id(1) * n + tile + x];
    right[y * 16 + x] = b[(tile + y) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += left[y * 16 + k] * right[k * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(1) * n + get_global_id(0)] = sum;
}
"""


def multiply(program):
    n = 96
    a, b = (random.integers(-8, 8, (n, n)).astype(np.float32) for _ in range(2))
    flags = cl.mem_flags
    left, right = (cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=m) for m in (a, b))
    out = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
    event = program.multiply(queue, (n, n), (16, 16), left, right, out, np.int32(n), cl.LocalMemory(1024), cl.LocalMemory(1024))
    result = np.empty_like(a)
    cl.enqueue_copy(queue, result, out, wait_for=[event])
    return np.array_equal(result, a @ b) and event.profile.end >= event.profile.start > 0


def structures():
    kind = np.dtype([("id", np.int32), ("weight", np.float32), ("near", np.int8, 3)])
    kind, text = match_dtype_to_c_struct(devices[-1], "point", kind)
    get_or_register_dtype("point", kind)
    points = np.zeros(100, kind)
    points["id"] = np.arange(100)
    a = cl_array.to_device(queue, points)
    program = cl.Program(context, text + """
      kernel void touch(global point *p) {
        int i = get_global_id(0);
        p[i].weight = p[i].id * 0.5f;
        p[i].near[2] = (char)(p[i].id & 63);
      }""").build()
    program.touch(queue, (100,), None, a.data)
    out = a.get()
    say("structures", np.array_equal(out["weight"], np.arange(100) * 0.5) and np.array_equal(out["near"][:, 2], np.arange(100) & 63))


def image():
    pixels = random.integers(0, 256, (40, 60, 4)).astype(np.uint8)
    source = cl.image_from_array(context, pixels, 4)
    target = cl.Image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8), shape=(40, 60))
    program = cl.Program(context, """
      constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
      kernel void turn(read_only image2d_t in, write_only image2d_t out) {
        int x = get_global_id(0), y = get_global_id(1);
        write_imageui(out, (int2)(y, x), read_imageui(in, nearest, (int2)(x, y)).wzyx);
      }""").build()
    program.turn(queue, (60, 40), None, source, target)
    out = np.empty((60, 40, 4), np.uint8)
    cl.enqueue_copy(queue, out, target, origin=(0, 0), region=(40, 60))
    say("image", np.array_equal(out, pixels.transpose(1, 0, 2)[:, :, ::-1]))


def order():
    """Commands of an out-of-order queue that name each other, and memory mapped in between."""
    unordered = cl.CommandQueue(context, devices[0], properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    program = cl.Program(context, "kernel void step(global int *x, int k) { x[get_global_id(0)] = x[get_global_id(0)] * 3 + k; }").build()
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4000)
    event = cl.enqueue_fill_buffer(unordered, memory, np.int32(1), 0, 4000)
    expected = 1
    for k in range(10):
        event = program.step(unordered, (1000,), None, memory, np.int32(k), wait_for=[event])
        expected = expected * 3 + k
    view, _ = cl.enqueue_map_buffer(unordered, memory, cl.map_flags.READ, 0, (1000,), np.int32, wait_for=[event])
    say("order", bool((view == expected).all()))


element_wise()
reductions()
built = cl.Program(context, MATRIX).build()
say("matrix", multiply(built))
structures()
image()
say("binary", multiply(cl.Program(context, context.devices, built.get_info(cl.program_info.BINARIES)).build()))
order()
try:
    cl.Program(context, "kernel void k() { nothing(; }").build()
except cl.RuntimeError as error:
    print("error:", cl.status_code.to_string(error.code))
