"""spec/libs -> docs/reference/library-coverage.md: what of each library is implemented, chapter by chapter."""

import textwrap

from lib_records import Libraries

PAGE = "docs/reference/library-coverage.md"
HEAD = """# What is implemented of the libraries

Made by tools/gen from the records in [spec/libs](../how-to/library-function.md); renew it with `tools/check/pages.py --write`. Every function is declared in
the headers and exported by the libraries. One that is not implemented returns the library's "not supported", and names itself once with
`HEDDLE_TRACE=stubs`. An idle one succeeds and does nothing, because there is nothing to do here: why stands beside it. Each type of a function counts,
and so does each variant with 64-bit sizes (`_64`).

"""


def outputs(spec):
    return [PAGE]


def count(families, state):
    return sum(len(f.functions) for f in families if f.state == state)


def row(title, families):
    return f"| {title} | {count(families, 'done')} | {count(families, 'idle')} | {count(families, 'stub')} |\n"


def shown(family):
    """`cublas[SDCZ]axpy_v2`, with `(_64)` where there is that variant too."""
    name = family.functions[0].name
    if family.letters:
        first = family.letters[0]
        begin = family.record_name.index("{}")
        name = name[:begin] + f"[{' '.join(family.letters)}]" + name[begin + len(first):]
    return f"`{name}`" + (" (and `_64`)" if family.wide else "")


def generate(spec):
    libraries = Libraries(spec)
    text = HEAD + "| library | implemented | idle | stub |\n|---|--:|--:|--:|\n"
    for library in libraries.all:
        text += row(library.title, library.families())
    for library in libraries.all:
        text += f"\n## {library.title}\n\n"
        if library.page:
            text += f"How it behaves: [{library.page}]({library.page}).\n\n"
        text += "| chapter | implemented | idle | stub |\n|---|--:|--:|--:|\n" + "".join(row(c.title, c.families) for c in library.chapters)
        idle = [f for f in library.families() if f.state == "idle"]
        if idle:
            text += "\nIdle:\n\n" + "".join(f"- {shown(f)}: {f.note}\n" for f in idle)
        stubs = [c for c in library.chapters if any(f.state == "stub" for f in c.families)]
        if stubs:
            text += "\nStubs:\n\n"
        for chapter in stubs:
            names = ", ".join(shown(f) for f in chapter.families if f.state == "stub")
            text += textwrap.fill(f"- **{chapter.title}**: {names}", 150, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
    return {PAGE: text}
