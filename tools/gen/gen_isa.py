"""spec/isa -> the instruction tables of src/isa and the reference executor's table of evals."""

import isa_emit
import isa_evals
import isa_overlap
import isa_records
from gen import Spec

HEADER, SOURCE = "isa/isa.gen.h", "isa/isa.gen.cpp"
EVALS_HEADER, EVALS_SOURCE = "exec/interp/evals.gen.h", "exec/interp/evals.gen.cpp"


def outputs(spec: Spec) -> list[str]:
    return [HEADER, SOURCE, EVALS_HEADER, EVALS_SOURCE]


def generate(spec: Spec) -> dict[str, str]:
    model = isa_records.load(spec)
    written = isa_evals.written(spec)
    return {
        HEADER: isa_emit.header(model),
        SOURCE: isa_emit.source(model),
        EVALS_HEADER: isa_evals.header(model, written),
        EVALS_SOURCE: isa_evals.source(model, written),
    }


def lint(spec: Spec) -> list[str]:
    """Rules that cost too much for every build: tools/check/spec.py asks."""
    model = isa_records.load(spec)
    return isa_overlap.lint(model) + isa_evals.lint(spec, model)
