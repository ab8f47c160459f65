"""usage: nvidia_smi_elements.py FILE.xml: the elements of `nvidia-smi -q -x` against those that a device's program wrote."""

import pathlib
import sys
import xml.etree.ElementTree


def elements(element, depth=0) -> list[str]:
    found = ["  " * depth + element.tag]
    for child in [] if element.tag == "processes" else element:
        found += elements(child, depth + 1)
    return found


expected = pathlib.Path(__file__).with_suffix(".txt").read_text().splitlines()
wanted = [line for line in expected if not line.startswith("#")]
found = elements(xml.etree.ElementTree.parse(sys.argv[1]).getroot())
for i, (want, have) in enumerate(zip(wanted, found)):
    if want != have:
        sys.exit(f"element {i}: '{have.strip()}', a device has '{want.strip()}'")
if len(found) != len(wanted):
    sys.exit(f"{len(found)} elements, a device has {len(wanted)}")
print(f"{len(found)} elements as a device's")
