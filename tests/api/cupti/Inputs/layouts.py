"""C that compiles only if our headers lay structures out as the list says."""

import pathlib
import sys

HEADERS = ["cupti", "cupti_target", "cupti_profiler_target", "cupti_profiler_host", "cupti_pcsampling", "cupti_sass_metrics",
           "cupti_range_profiler", "cupti_pmsampling"]

print("".join(f"#include <{header}.h>\n" for header in HEADERS))
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    if line.startswith("#"):
        continue
    name, size, *members = line.split()
    print(f'_Static_assert(sizeof({name}) == {size}, "{name}");')
    for member in members:
        place, offset = member.split(":")
        print(f'_Static_assert(offsetof({name}, {place}) == {offset}, "{name}.{place}");')
