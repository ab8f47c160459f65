"""as_hardware.py OURS RECORDED: compares the answers of bad_arguments.cu, line by line. A call that ends the process there
(signal 11) must be an error here."""
import re
import sys

OTHER_KIND = "a handle of another kind is a bad handle; there, what lies in its memory decides"
DEVIATIONS = {
    "cuStreamDestroy((CUstream)good_event)": ("400", OTHER_KIND),
    "cuEventQuery((CUevent)good_stream)": ("400", OTHER_KIND),
    "cuEventElapsedTime(0, good_event, good_event)": ("1", "both arguments are bad: the event was never recorded"),
    "cuMemsetD8(memory, 0, huge)": ("1", "there it is taken, and faults later"),
    "cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference)": ("0", "there the function must read the reference"),
}
for kind in ["Record", "Wait"]:
    for event in ["NEVER(CUevent)", "gone_event"]:
        DEVIATIONS[f"cuGraphEvent{kind}NodeSetEvent({kind.lower()}_node, {event})"] = (
            "1", "there the event is looked at when the graph becomes executable")
# Handles of another kind, in programs that have many: an error here, whichever it is there.
OTHER_KINDS = re.compile(r"\(CU\w+\)(event|stream)\b")
# Of what a call tells besides its code, the size of a set-aside part of the L2 cache: there it is given out by the
# sixteenth of the cache. The compiler's logs and times are not looked at either.
NOT_COMPARED = "limit 6"


def answers(path):
    found = []
    for line in open(path, encoding="utf-8"):
        call, arrow, code = line.rstrip("\n").rpartition(" -> ")
        if arrow and not line.startswith(" "):
            found.append((call, code))
        elif detail := re.match(r"   ((?:limit|usual|end|format|\d).*)", line):
            if not detail[1].startswith(NOT_COMPARED):
                found.append((detail[1], None))
    return found


def main():
    ours, recorded = answers(sys.argv[1]), answers(sys.argv[2])
    bad = 0
    if len(ours) != len(recorded):
        sys.exit(f"{len(ours)} answers, {len(recorded)} recorded")
    for (call, code), (asked, wanted) in zip(ours, recorded):
        if wanted == "signal 11":
            good = call == asked and code.isdigit() and code != "0"
        elif call in DEVIATIONS:
            good = call == asked and code == DEVIATIONS[call][0]
        elif OTHER_KINDS.search(call) and code != wanted:
            good = call == asked and code.isdigit() and code != "0"
        else:
            good = (call, code) == (asked, wanted)
        if not good:
            bad += 1
            print(f"{call} -> {code}, recorded: {asked} -> {wanted}")
    print(f"{len(ours)} answers, {bad} wrong")
    sys.exit(bad != 0)


main()
