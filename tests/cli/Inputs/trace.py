"""What a timeline has, a line each: checks that it is JSON as Chrome's trace events are, and that what belongs together lies so."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file)
events = trace["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
calls = {e["args"]["correlation"]: e for e in events if e["ph"] == "X" and e["cat"].startswith("cuda_")}
for event in events:
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    if event["ph"] == "X":
        assert event["dur"] >= 0 and event["ts"] >= 0 and event["pid"] in processes and (event["pid"], event["tid"]) in names, event
    if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
        call = calls[event["args"]["correlation"]]
        assert call["ts"] <= event["ts"], (call, event)
        print(f'{event["cat"]} {event["name"]} on "{names[event["pid"], event["tid"]]}" by {call["name"]}')
    if event.get("cat") == "nvtx":
        print(f'nvtx {event["ph"]} {event["name"]} {json.dumps(event.get("args", {}), sort_keys=True)}')
starts = [e for e in events if e["ph"] == "s"]
ends = [e for e in events if e["ph"] == "f"]
assert {e["id"] for e in starts} == {e["id"] for e in ends}
inner = next((e for e in events if e.get("name") == "inner"), None)
if inner is not None:
    outer = next(e for e in events if e.get("name") == "outer")
    assert outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    within = [e for e in calls.values() if e["name"] == "cudaLaunchKernel" and inner["ts"] <= e["ts"] <= inner["ts"] + inner["dur"]]
    print(f"{len(within)} launches in inner")
print(f"{len(starts)} arrows, threads: {sorted(set(names.values()))}")
