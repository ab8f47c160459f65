"""report_file.py FILE: what a report file of ncu holds, by the container's description in the Nsight Compute Customization Guide."""

import pathlib
import struct
import sys

data = pathlib.Path(sys.argv[1]).read_bytes()


def variable(bytes_, at):
    value = shift = 0
    while True:
        value |= (bytes_[at] & 0x7F) << shift
        shift += 7
        at += 1
        if bytes_[at - 1] < 0x80:
            return value, at


def fields(bytes_):
    """The fields of a message: number -> values in order."""
    out, at = {}, 0
    while at < len(bytes_):
        tag, at = variable(bytes_, at)
        if tag & 7 == 0:
            value, at = variable(bytes_, at)
        elif tag & 7 == 1:
            value, at = struct.unpack_from("<d", bytes_, at)[0], at + 8
        elif tag & 7 == 2:
            size, at = variable(bytes_, at)
            value, at = bytes_[at : at + size], at + size
        else:
            raise SystemExit(f"wire type {tag & 7}")
        out.setdefault(tag >> 3, []).append(value)
    assert at == len(bytes_)
    return out


def counted(at):
    (size,) = struct.unpack_from("<I", data, at)
    assert at + 4 + size <= len(data)
    return fields(data[at + 4 : at + 4 + size]), at + 4 + size


def size_of(bytes_):
    three = fields(bytes_)
    return "x".join(str(three[i][0]) for i in (1, 2, 3))


assert data[:4] == b"NVR\0"
head, at = counted(4)
blocks = []
while at < len(data):
    header, at = counted(at)
    results, end = [], at + header[5][0]
    while at < end:
        result, at = counted(at)
        results.append(result)
    assert at == end and len(results) == header[2][0] and header[1] == [0]
    blocks.append((header, results))
print(f"version {head[1][0]}, {len(blocks)} blocks")
for header, results in blocks:
    names = [name.decode() for name in fields(header[4][0])[1]]
    process = fields(header[6][0])
    print(f"{len(results)} results of process {process[1][0]} {process[3][0].decode()}")
    for result in results:
        values = {}
        for one in map(fields, result[13]):
            ((_, (value,)),) = fields(one[2][0]).items()
            values[names[one[1][0]]] = value
        sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        print(f"{result[7][0].decode()} {size_of(result[10][0])} {size_of(result[11][0])}: {sectors} {values[sectors]}, "
              f"device {values['device__attribute_display_name'].decode()}")
