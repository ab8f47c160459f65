"""What of two tables is the same, and whether each difference has a reason that is written down."""

import csv
import fnmatch


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_ideals(values):
    """Of shared memory what arbitration has no part in: the times without conflicts."""
    for side in ("ld", "st"):
        asked, more = (f"l1tex__data_{what}_mem_shared_op_{side}.sum" for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu"))
        if values.get(asked):
            values[f"wavefronts without conflicts, {side}"] = float(values[asked]) - float(values[more])
    return values


class Verdict:
    """Of a file of reasons: `metric`, `least`, `most`, `reason`, and what else values are told apart by, with wildcards. `least` and `most` are how much
    more the hardware counted, of what we did; without them a reason holds for any difference. A reason whose `kind` is `timing` or `runtime` says that
    the program's source doesn't determine the value: it is left out of the share. `chosen`: only the reasons with these words."""

    def __init__(self, reasons, **chosen):
        self.reasons = [row for row in rows(reasons) if all(row[name] == word for name, word in chosen.items())]
        self.used, self.unexplained = set(), []
        self.same, self.all_of, self.nothing, self.left_out = {}, {}, {}, {}

    def miss_no_reason(self):
        """A part was compared: reasons of the rest have no difference here."""
        self.used.update(range(len(self.reasons)))

    def compare(self, metric, own, hardware, **place):
        self.all_of[metric] = self.all_of.get(metric, 0) + 1
        own, hardware = float(own), float(hardware)
        if abs(own - hardware) <= 0.005:
            self.same[metric] = self.same.get(metric, 0) + 1
            self.nothing[metric] = self.nothing.get(metric, 0) + (hardware == 0)
            return
        share = (hardware - own) / max(own, 1)
        fits = [
            i for i, reason in enumerate(self.reasons)
            if fnmatch.fnmatchcase(metric, reason["metric"])
            and all(fnmatch.fnmatchcase(value, reason[name]) for name, value in place.items())
            and (not reason["least"] or float(reason["least"]) <= share <= float(reason["most"]))
        ]
        self.used.update(fits)
        kinds = {self.reasons[i].get("kind", "") for i in fits}
        if kinds & {"timing", "runtime"}:
            self.all_of[metric] -= 1
            self.left_out[metric] = self.left_out.get(metric, 0) + 1
        if not fits:
            self.unexplained.append(f"{' '.join(place.values())}: {metric} is {own:.10g}, the hardware counted {hardware:.10g}")

    def print(self, what, gate, aside=lambda metric: False):
        """Whether all is well: every difference has a reason, every reason a difference, and of what is not aside a share of `gate` is the same."""
        for metric, count in self.all_of.items():
            more = f", {self.left_out[metric]} left out" if metric in self.left_out else ""
            print(f"{self.same.get(metric, 0):4} of {count}  {metric}{' (of the assembler)' if aside(metric) else ''}{more}")
        judged = [metric for metric in self.all_of if not aside(metric)]
        total, good, nothing = (sum(of.get(metric, 0) for metric in judged) for of in (self.all_of, self.same, self.nothing))
        share, of_counted = (100 * part / max(whole, 1) for part, whole in ((good, total), (good - nothing, total - nothing)))
        print(f"{what}, {good} of {total} values the same ({share:.1f} %), {len(self.unexplained)} unexplained; "
              f"without zeros on both sides {of_counted:.1f} %; {sum(self.left_out.get(metric, 0) for metric in judged)} left out")
        unused = [reason for i, reason in enumerate(self.reasons) if i not in self.used]
        print("\n".join(self.unexplained + ["no difference has this reason: " + ", ".join(filter(None, reason.values())) for reason in unused]))
        return not self.unexplained and not unused and good >= gate * total
