"""The page docs/reference/timing-error.md: what tools/timing_error.py has predicted beside what was measured, as tables."""

import csv
import dataclasses
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HW = ROOT / "tests/hw"


@dataclasses.dataclass
class Launch:
    device: str
    kernel: str
    params: str
    family: str
    space: str
    role: str
    measured: float  # ns
    predicted: float
    instant: float | None = None

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def rows(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def groups(launches, key):
    result: dict[str, list[Launch]] = {}
    for launch in launches:
        result.setdefault(key(launch), []).append(launch)
    return result


def tau(launches) -> float | None:
    """Kendall's, over all pairs of launches of one space whose measured times differ by more than 2 %."""
    same = other = 0
    for space in groups(launches, lambda launch: launch.space).values():
        for i, a in enumerate(space):
            for b in space[:i]:
                if abs(a.measured - b.measured) <= 0.02 * min(a.measured, b.measured):
                    continue
                agree = (a.measured < b.measured) == (a.predicted < b.predicted)
                same, other = same + agree, other + (not agree)
    return None if same + other == 0 else (same - other) / (same + other)


def regret(launches) -> float | None:
    """How much longer what was predicted to be the fastest of a space takes than what is."""
    spaces = [space for space in groups(launches, lambda launch: launch.space).values() if len(space) > 1]
    each = [min(s, key=lambda launch: launch.predicted).measured / min(launch.measured for launch in s) - 1 for s in spaces]
    return None if not each else sum(each) / len(each)


def percent(value) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def signed(value) -> str:
    return f"{abs(100 * value):.1f} % too {'slow' if value > 0 else 'fast'}"


def time(ns: float) -> str:
    return f"{ns / 1e6:.3f} ms" if ns >= 1e6 else f"{ns / 1e3:.2f} us"


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def summary(launches) -> list[str]:
    lines = ["| family | numbers | mean error | on the average | worst | tau | regret | |", "|---|---|---|---|---|---|---|---|"]
    means = []
    for family, of_family in groups(launches, lambda launch: launch.family).items():
        means.append(mean(abs(launch.error) for launch in of_family))
        worst = max(of_family, key=lambda launch: abs(launch.error))
        order = tau(of_family)
        lines.append(
            f"| {family} | {len(of_family)} | {percent(means[-1])} | {signed(mean(launch.error for launch in of_family))} | {signed(worst.error)} | "
            f"{'' if order is None else f'{order:.2f}'} | {percent(regret(of_family))} | {'sets constants' if of_family[0].role == 'sets constants' else ''} |"
        )
    orders = [order for of in groups(launches, lambda launch: launch.family).values() if (order := tau(of)) is not None]
    order = f"{mean(orders):.2f}" if orders else ""
    lines.append(f"| **all families, each as much as another** | {len(launches)} | **{percent(mean(means))}** | | | {order} | | |")
    return lines


TITLES = {
    "h200": "H200, kernels of the guides and small probes",
    "h100": "H100, kernels of everyday kinds",
    "h200 more": "H200, kernels of other everyday kinds",
    "qv100": "Quadro GV100, whole programs, the half in view",
    "qv100 kept": "Quadro GV100, whole programs, the half kept back",
    "gtx1080ti": "GeForce GTX 1080 Ti, public programs, the half in view",
    "gtx1080ti kept": "GeForce GTX 1080 Ti, public programs, the half kept back",
    "gtx950": "GeForce GTX 950, public programs, the half in view",
    "gtx950 kept": "GeForce GTX 950, public programs, the half kept back",
    "gtx285": "GeForce GTX 285",
    "gtx280": "GeForce GTX 280",
    "8800gtx": "GeForce 8800 GTX",
}
INTRO = """# How far off the times are

Made by `tools/timing_error.py TOOLKIT`; nothing here is written by hand but `tests/hw/timing/changes.csv` and `missing.csv`. Each number that is published or was
measured is predicted by [`heddle predict`](heddle-predict.md) and compared. Errors are of the prediction, relative to what was measured. tau is Kendall's,
over pairs of one kernel's (or ladder's, or program's) launches that differ by more than 2 %; regret says how much longer the launch takes that was predicted to be
the fastest. Where the recorded times come from: `tests/hw/h200/timing`, `tests/hw/h100/timing`, `tests/hw/guides`, `tests/hw/nvprof`, `tests/hw/qv100`. Programs of
the last two are public and none of this tree: `tools/timing_public.py` predicts them where they have been built. They were divided into two halves by their
names before anything was predicted; the table of changes says what of the half kept back had been looked at by when.
"""
JUDGED = {
    "g80": "8800 GTX",
    "gt200": "GTX 280, GTX 285",
    "maxwell52": "GTX 950",
    "pascal": "GTX 1080 Ti",
    "volta": "Quadro GV100",
    "hopper": "H100, H200",
}


def never_judged() -> list[str]:
    machines = tomllib.loads((ROOT / "spec/timing/machines.toml").read_text(encoding="utf-8"))["machine"]
    lines = ["| record of spec/timing | capabilities | judged on |", "|---|---|---|"]
    for machine in machines:
        by = JUDGED.get(machine["name"], "nothing: data sheets and micro-benchmarks alone, kernels unjudged")
        lines.append(f"| {machine['name']} | {', '.join(machine['capabilities'])} | {by} |")
    return lines


def mean_of_families(launches, time) -> float:
    """As `all families`, of other times than those that were predicted."""
    by_family = groups(launches, lambda launch: launch.family)
    return mean(mean(abs(time(launch) / launch.measured - 1) for launch in of) for of in by_family.values())


def instant(by_device) -> list[str]:
    lines = ["| device | numbers | simulated | estimated | worst family of the estimates | tau, simulated | tau, estimated |", "|---|---|---|---|---|---|---|"]
    for device, title in TITLES.items():
        of = [launch for launch in by_device.get(device, []) if launch.instant is not None]
        if not of:
            continue
        by_family = {family: mean(abs(each.instant / each.measured - 1) for each in all_of) for family, all_of in groups(of, lambda launch: launch.family).items()}
        worst = max(by_family, key=by_family.get)
        estimated = [dataclasses.replace(launch, predicted=launch.instant) for launch in of]
        order = [tau(of), tau(estimated)]
        lines.append(
            f"| {title} | {len(of)} | {percent(mean_of_families(of, lambda x: x.predicted))} | **{percent(mean_of_families(of, lambda x: x.instant))}** | "
            f"{worst} ({percent(by_family[worst])}) | {' | '.join('' if each is None else f'{each:.2f}' for each in order)} |"
        )
    return lines


MACHINES = {
    "hopper": ("h200", "h100", "h200 more"),
    "volta": ("qv100", "qv100 kept"),
    "pascal": ("gtx1080ti", "gtx1080ti kept"),
    "maxwell52": ("gtx950", "gtx950 kept"),
    "gt200": ("gtx285", "gtx280"),
    "g80": ("8800gtx",),
}


def judgements(launches) -> str:
    """spec/timing/judged.toml: what `heddle predict` tells of its own errors."""
    lines = ["# Made by tools/timing_error.py: how far off times are by record of machines.toml, and by estimates from counts alone (docs/reference/timing-error.md)."]
    for machine, devices in MACHINES.items():
        of = [launch for launch in launches if launch.device in devices]
        if of:
            families = len(groups(of, lambda launch: launch.family))
            estimated = [launch for launch in of if launch.instant is not None]
            lines += ["", "[[judged]]", f'machine = "{machine}"', f"numbers = {len(of)}", f"families = {families}"]
            lines += [f"simulated = {mean_of_families(of, lambda x: x.predicted):.3f}", f"instant = {mean_of_families(estimated, lambda x: x.instant) if estimated else 0:.3f}"]
    return "\n".join(lines) + "\n"


def parts() -> dict[str, str]:
    """Names of the model's parts and what they are, as src/timing/mechanism.cpp has them."""
    text = (ROOT / "src/timing/mechanism.cpp").read_text(encoding="utf-8")
    return dict(re.findall(r'\{"(\w+)",\s*"([^"]+)"', text))


def ablation() -> list[str]:
    known = rows(HW / "timing/parts.csv")
    devices = list(dict.fromkeys(row["device"] for row in known))
    error = {(row["device"], row["family"], row["without"]): float(row["error"]) for row in known}
    families = {device: list(dict.fromkeys(row["family"] for row in known if row["device"] == device)) for device in devices}
    whole = {device: mean(error[device, family, ""] for family in families[device]) for device in devices}
    counts = {device: sum(int(row["launches"]) for row in known if row["device"] == device and not row["without"]) for device in devices}
    lines = ["| left out | what | " + " | ".join(f"{device}, {counts[device]} launches of {len(families[device])} families" for device in devices) + " | most changed families |", "|---|---|" + "---|" * (len(devices) + 1)]
    lines.append("| nothing | the whole model | " + " | ".join(f"**{percent(whole[d])}**" for d in devices) + " | |")
    for part, what in parts().items():
        cells = [percent(mean(error[device, family, part] for family in families[device])) for device in devices]
        changes = [(error[d, f, part] - error[d, f, ""], d, f) for d in devices for f in families[d]]
        most = sorted(changes, key=lambda change: -abs(change[0]))[:2]
        told = "; ".join(f"{d}, {f}: {percent(error[d, f, ''])}, {percent(error[d, f, part])} without" for by, d, f in most if abs(by) >= 0.01)
        lines.append(f"| {part} | {what} | {' | '.join(cells)} | {told} |")
    return lines


def cost() -> list[str]:
    lines = ["| row | launches | plain, CPU ms | simulated, CPU ms | times | estimated, times | longest launch | operations a second |", "|---|---|---|---|---|---|---|---|"]
    for row in rows(HW / "timing/cost.csv"):
        plain, simulated, estimated = (float(row[key]) for key in ("plain_ms", "simulated_ms", "instant_ms"))
        rate = float(row["operations"]) / float(row["model_seconds"]) / 1e6
        lines.append(
            f"| {row['row']} | {row['launches']} | {plain:.2f} | {simulated:.1f} | {simulated / plain:.1f} | {estimated / plain:.1f} | {float(row['longest_s']):.2f} s | {rate:.1f} million |"
        )
    long = [row for row in rows(HW / "timing/cost.csv") if float(row["plain_ms"]) / float(row["launches"]) >= 10]
    within = sum(float(row["simulated_ms"]) <= 20 * float(row["plain_ms"]) for row in long)
    return [*lines, "", f"Of the {len(long)} rows whose launches take 10 ms and more {within} are within 20 times."]


def page(launches) -> str:
    lines = [INTRO]
    by_device = groups(launches, lambda launch: launch.device)
    for device, title in TITLES.items():
        if device in by_device:
            lines += [f"## {title}", "", *summary(by_device[device]), ""]
    lines += ["## What is missing where families are far off", "", "| device | family | what | evidence |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row.values())} |" for row in rows(HW / "timing/missing.csv")]
    lines += ["", "## The instant estimate", ""]
    lines += ["`heddle predict --instant` simulates nothing: counts of the whole launch, and the part of the device that needs longest for them, or the way of the", "warps if that is longer. Errors are means of the families.", ""]
    lines += [*instant(by_device), ""]
    if (HW / "timing/parts.csv").exists():
        lines += ["## What each part of the model is worth", ""]
        lines += ["Made by `tools/timing_parts.py`: errors (means of the families) of the first launch of kernels and shapes with one part left out, `heddle predict --without PART`. A part whose", "absence makes an error smaller stands for something that is not right yet, or hides another.", ""]
        lines += [*ablation(), ""]
    if (HW / "timing/cost.csv").exists():
        lines += ["## What predictions cost", ""]
        lines += ["Made by `bench/predict_cost`: CPU time of all threads for one run of rows of [the benchmark](../../bench/README.md), for an H200, of a release build. Of a long launch", "the model goes through two to five waves of blocks, or the beginnings of their warps: 0.8 % of its work, and never less than a fixed amount (`timing/recorder.cpp`), of which a short", "launch may have little more. The aim is 20 times for kernels of 10 ms and more, and 60 s for a launch.", ""]
        lines += [*cost(), ""]
    lines += ["## When constants and model were frozen, and what changed since", ""]
    lines += ["| date | change | reason | errors before and after |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row.values())} |" for row in rows(HW / "timing/changes.csv")]
    lines += ["", "## What was never judged", "", *never_judged(), ""]
    lines += ["Copies over PCI Express 5 have an H200's times ([how far off](heddle-predict.md)); other generations, overlap and unified memory: formulas of the guides alone.", ""]
    lines += ["## Every number", ""]
    for device, title in TITLES.items():
        if device not in by_device:
            continue
        lines += [f"### {title}", "", "| kernel | | measured | predicted | error |", "|---|---|---|---|---|"]
        for launch in by_device[device]:
            numbers = f"{time(launch.measured)} | {time(launch.predicted)} | {100 * launch.error:+.1f} %"
            lines.append(f"| {launch.kernel} | {launch.params} | {numbers} |")
        lines.append("")
    return "\n".join(lines)
