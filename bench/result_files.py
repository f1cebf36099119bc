"""Result files of dma_bench: Google Benchmark's JSON, read into subjects."""

import json
from dataclasses import dataclass

NOT_AXES = ("iterations", "repeats", "manual_time", "real_time")


@dataclass
class Subject:
    name: str  # without what Google Benchmark appends
    sweep: str
    axes: dict  # name -> value, numbers as int; "by" among them
    rate: float  # bytes/s, median; 0 where the time is the answer
    seconds: float  # median
    rate_low: float
    rate_high: float
    seconds_low: float
    seconds_high: float

    @property
    def goodness(self):
        """Larger is better, whatever was measured."""
        return self.rate or 1 / self.seconds


def read(path):
    """The context, the subjects by name, and the names of those that failed, each with its error."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    entries, failed = {}, {}
    for entry in content["benchmarks"]:
        parts = [p for p in entry["run_name"].split("/") if p.split(":")[0] not in NOT_AXES]
        name = "/".join(parts)
        if entry.get("error_occurred"):
            failed[name] = entry.get("error_message", "")
        else:
            entries.setdefault(name, {})[entry.get("aggregate_name", "median")] = entry
    subjects = {}
    for name, kinds in entries.items():
        if name not in failed and "median" in kinds:
            subjects[name] = _subject(name, kinds)
    return content["context"], subjects, failed


def _subject(name, kinds):
    sweep, *axes = name.split("/")
    median = kinds["median"]
    low, high = kinds.get("min", median), kinds.get("max", median)
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[median["time_unit"]]
    rate = lambda entry: entry.get("bytes_per_second", 0.0)
    return Subject(
        name=name,
        sweep=sweep,
        axes={key: int(value) if value.isdigit() else value for key, _, value in (a.partition(":") for a in axes)},
        rate=rate(median),
        seconds=median["real_time"] * unit,
        rate_low=rate(low),
        rate_high=rate(high),
        seconds_low=low["real_time"] * unit,
        seconds_high=high["real_time"] * unit,
    )


def read_ceiling(subjects):
    """The best rate at which anything here reads: bytes/s, 0 where nothing does."""
    return max((s.rate for s in subjects if s.sweep == "saturation" and s.axes["by"] in ("hand", "plain")), default=0.0)


def roofline(context, subjects, multiply_adds):
    """Bytes/s that memory and arithmetic allow with so many multiply-adds for each 4 bytes."""
    peak = float(context.get("fp32_flops", "inf"))
    ceiling = read_ceiling(subjects)
    return min(ceiling, peak / (2 * multiply_adds) * 4) if ceiling else 0.0
