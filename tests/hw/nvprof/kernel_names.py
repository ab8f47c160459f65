"""Names of kernels as nvprof and Heddle write them, made one."""

import re


def kernel_name(text):
    """`reduce6<256>` of `void reduce6<int, unsigned int=256>(int*)` as of `void reduce6<int, 256u>(int*)`: what its numbers say, not its types."""
    text = re.sub(r"^void ", "", text.replace("(anonymous namespace)::", ""))
    name, _, rest = text.partition("<")
    if "(" in name:
        return name.partition("(")[0].split("::")[-1]
    words = re.findall(r"\((?:bool|int|unsigned int)\)(\w+)|\b(\d+)u?l*\b|\b(true|false)\b", rest.rpartition(">")[0])
    numbers = [{"true": "1", "false": "0"}.get(word, word) for word in ("".join(groups) for groups in words)]
    return f"{name.split('::')[-1]}<{','.join(numbers)}>"
