"""spec/cuda -> docs/reference/cuda-api.md: what of the CUDA APIs is implemented, chapter by chapter."""

from cuda_records import Cuda

PAGE = "docs/reference/cuda-api.md"
HEAD = """# What is implemented of the CUDA APIs

Made by tools/gen from the records in [spec/cuda](../how-to/api-function.md); renew it with `tools/check/pages.py --write`. Every function below is
declared in the headers and exported by the libraries. One that is not implemented returns the API's "not supported", and names itself once with
`HEDDLE_TRACE=stubs`. An idle one looks at its arguments, succeeds and does nothing, because there is nothing to do here or nobody to do it for: why
stands beside it. Older versions of a function (`cuMemAlloc` beside `cuMemAlloc_v2`) are functions of their own here; per-thread variants
(`_ptsz`, `_ptds`) are not counted.

"""


def outputs(spec):
    return [PAGE]


def row(title, functions):
    done = sum(f.state == "done" and not f.idle for f in functions)
    idle = sum(f.idle for f in functions)
    return f"| {title} | {done} | {idle} | {len(functions) - done - idle} |\n"


def listed(functions):
    return ", ".join(f"`{f.name}`" for f in functions)


def generate(spec):
    cuda = Cuda(spec)
    text = HEAD + "| API | implemented | idle | stub |\n|---|--:|--:|--:|\n"
    for api in cuda.apis.values():
        text += row(api.title, cuda.functions(api.name))
    for api in cuda.apis.values():
        chapters = [c for c in cuda.chapters if c.api == api.name]
        text += f"\n## {api.title}\n\n| chapter | implemented | idle | stub |\n|---|--:|--:|--:|\n"
        text += "".join(row(c.title, c.functions) for c in chapters)
        idle = [f for c in chapters for f in c.functions if f.idle]
        if idle:
            text += "\nIdle:\n\n" + "".join(f"- `{f.name}`: {f.note}\n" for f in idle)
        stubs = [c for c in chapters if any(f.state == "stub" for f in c.functions)]
        if stubs:
            text += "\nStubs:\n\n"
        for chapter in stubs:
            text += f"- **{chapter.title}**: {listed([f for f in chapter.functions if f.state == 'stub'])}\n"
    return {PAGE: text}
