"""spec/isa -> the instruction tables of src/isa and the executors' tables of evals and lower functions."""

import isa_emit
import isa_evals
import isa_lowers
import isa_overlap
import isa_records
from gen import Spec

HEADER, SOURCE = "isa/isa.gen.h", "isa/isa.gen.cpp"
EVALS_HEADER, EVALS_SOURCE = "exec/interp/evals.gen.h", "exec/interp/evals.gen.cpp"
# The source lies in the room's own folder: cmake/room.cmake takes those.
LOWERS_HEADER, LOWERS_SOURCE = "exec/jit/lower/lowers.gen.h", "exec/jit/lowers.gen.cpp"


def outputs(spec: Spec) -> list[str]:
    return [HEADER, SOURCE, EVALS_HEADER, EVALS_SOURCE, LOWERS_HEADER, LOWERS_SOURCE]


def generate(spec: Spec) -> dict[str, str]:
    model = isa_records.load(spec)
    written = isa_evals.written(spec)
    lowered = isa_lowers.written(spec)
    return {
        HEADER: isa_emit.header(model),
        SOURCE: isa_emit.source(model),
        EVALS_HEADER: isa_evals.header(model, written),
        EVALS_SOURCE: isa_evals.source(model, written),
        LOWERS_HEADER: isa_lowers.header(model, lowered),
        LOWERS_SOURCE: isa_lowers.source(model, lowered),
    }


def lint(spec: Spec) -> list[str]:
    """Rules that cost too much for every build: tools/check/spec.py asks."""
    model = isa_records.load(spec)
    return isa_overlap.lint(model) + isa_evals.lint(spec, model) + isa_lowers.lint(spec, model)
