"""Lists in generated C++: as much in a line as it takes."""

WIDTH = 120


def wrapped(head, items, tail, indent="    "):
    lines, line = [], head
    for index, item in enumerate(items):
        text = item + (tail if index + 1 == len(items) else ",")
        if len(line) + len(text) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += text + " "
    if not items:
        line += tail
    return "\n".join([*lines, line.rstrip()]) + "\n"
