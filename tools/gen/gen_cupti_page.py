"""spec/cuda/cupti -> docs/reference/cupti-functions.md: what each function of CUPTI does here, or how it refuses."""

from cuda_records import Cuda

PAGE = "docs/reference/cupti-functions.md"
HEAD = """# CUPTI, function by function

Made by tools/gen from the records in [spec/cuda](../how-to/api-function.md); renew it with `tools/check/pages.py --write`. [cupti.md](cupti.md) says
what the ones that work do. The others say no, and change nothing: a structure of parameters that is NULL, or whose size is 0, is
`CUPTI_ERROR_INVALID_PARAMETER`; everything else is the status below. Each names itself once with `HEDDLE_TRACE=stubs`.

| chapter | work | refuse |
|---|--:|--:|
"""


def outputs(spec):
    return [PAGE]


def listed(functions):
    return ", ".join(f"`{f.name}`" for f in functions)


def chapter_text(chapter):
    text = f"\n## {chapter.title}\n"
    working = [f for f in chapter.functions if f.state != "stub"]
    if working:
        text += f"\nWork: {listed(working)}\n"
    for refusal in dict.fromkeys((f.refuses, f.why) for f in chapter.functions if f.state == "stub"):
        text += f"\n`{refusal[0]}`, {refusal[1]}: {listed([f for f in chapter.functions if f.state == 'stub' and (f.refuses, f.why) == refusal])}\n"
    return text


def generate(spec):
    chapters = [c for c in Cuda(spec).chapters if c.api == "cupti"]
    text = HEAD
    for chapter in chapters:
        working = sum(f.state != "stub" for f in chapter.functions)
        text += f"| {chapter.title} | {working} | {len(chapter.functions) - working} |\n"
    return {PAGE: text + "".join(chapter_text(c) for c in chapters)}


def lint(spec):
    """A function of CUPTI works, or says how it refuses and why."""
    return [f"{f.chapter.path}: [{f.name}] is a stub without 'refuses' and 'why'"
            for f in Cuda(spec).functions("cupti") if f.state == "stub" and not (f.refuses and f.why)]
