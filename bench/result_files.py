"""Result files of dma_bench: Google Benchmark's JSON, reduced to one line a benchmark, and read into subjects.

A reduced file has the context as Google Benchmark writes it, and of each benchmark

    {"name": ..., "repetitions": 5, "time_unit": "us", "real_time": {"min": ..., "median": ..., "max": ...},
     "bytes_per_second": {"min": ..., "median": ..., "max": ...}, "label": ..., "counters": {"error": ...}}

with the rate, the label and the counters only where the benchmark has them, or {"name": ..., "error_message": ...}
where it failed.
"""

import json
from dataclasses import dataclass, field

NOT_AXES = ("iterations", "repeats", "manual_time", "real_time")
SPREAD = ("min", "median", "max")
NOT_COUNTERS = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
    "threads", "aggregate_name", "aggregate_unit", "iterations", "real_time", "cpu_time", "time_unit",
    "bytes_per_second", "label",
}  # fmt: skip


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
    label: str = ""  # which variant it is, where the name does not say
    counters: dict = field(default_factory=dict)

    @property
    def goodness(self):
        """Larger is better, whatever was measured."""
        return self.rate or 1 / self.seconds


def reduce(content):
    """What Google Benchmark wrote, as the content of a reduced file. What is reduced already stays as it is."""
    rows = content["benchmarks"]
    if not any("run_name" in row for row in rows):
        return content
    rows_of = {}  # name -> aggregate -> row; a benchmark without repetitions has its one row as the median
    errors = {}
    for row in rows:
        name = "/".join(part for part in row["run_name"].split("/") if part.split(":")[0] not in NOT_AXES)
        rows_of.setdefault(name, {})[row.get("aggregate_name", "median")] = row
        if row.get("error_occurred"):
            errors[name] = row.get("error_message", "")
    benchmarks = []
    for name, by_aggregate in rows_of.items():
        if name in errors:
            benchmarks.append({"name": name, "error_message": errors[name]})
        elif "median" in by_aggregate:
            benchmarks.append(_reduced(name, by_aggregate))
    return {"context": content["context"], "benchmarks": benchmarks}


def _reduced(name, by_aggregate):
    median = by_aggregate["median"]
    spread_of = lambda key: {kind: by_aggregate.get(kind, median)[key] for kind in SPREAD}
    result = {
        "name": name,
        "repetitions": median.get("repetitions", 1),
        "time_unit": median["time_unit"],
        "real_time": spread_of("real_time"),
    }
    if "bytes_per_second" in median:
        result["bytes_per_second"] = spread_of("bytes_per_second")
    if median.get("label"):
        result["label"] = median["label"]
    if counters := {key: value for key, value in median.items() if key not in NOT_COUNTERS}:
        result["counters"] = counters
    return result


def write(path, content):
    """A reduced file: a line for each part of the context and for each benchmark."""
    context = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content["context"].items())
    benchmarks = ",\n".join(json.dumps(benchmark) for benchmark in content["benchmarks"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{"context": {{\n{context}\n}},\n"benchmarks": [\n{benchmarks}\n]}}\n')


def read(path):
    """The context, the subjects by name, and the names of those that failed, each with its error.

    Reads a reduced file, and Google Benchmark's own.
    """
    with open(path, encoding="utf-8") as file:
        content = reduce(json.load(file))
    subjects, failed = {}, {}
    for benchmark in content["benchmarks"]:
        if "error_message" in benchmark:
            failed[benchmark["name"]] = benchmark["error_message"]
        else:
            subjects[benchmark["name"]] = _subject(benchmark)
    return content["context"], subjects, failed


def _subject(benchmark):
    sweep, *axes = benchmark["name"].split("/")
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[benchmark["time_unit"]]
    seconds = {kind: benchmark["real_time"][kind] * unit for kind in SPREAD}
    rate = benchmark.get("bytes_per_second", dict.fromkeys(SPREAD, 0.0))
    return Subject(
        name=benchmark["name"],
        sweep=sweep,
        axes={key: int(value) if value.isdigit() else value for key, _, value in (a.partition(":") for a in axes)},
        rate=rate["median"],
        seconds=seconds["median"],
        rate_low=rate["min"],
        rate_high=rate["max"],
        seconds_low=seconds["min"],
        seconds_high=seconds["max"],
        label=benchmark.get("label", ""),
        counters=benchmark.get("counters", {}),
    )


def read_ceiling(subjects):
    """The best rate at which anything here reads: bytes/s, 0 where nothing does."""
    return max((s.rate for s in subjects if s.sweep == "saturation" and s.axes["by"] in ("hand", "plain")), default=0.0)


def ceilings(context, subjects):
    """The read ceiling in words, with its share of what the memory's clock and width allow where the file has those."""
    ceiling = read_ceiling(subjects)
    if not ceiling:
        return ""
    theoretical = float(context.get("theoretical_bytes_per_second", 0))
    share = f", {ceiling / theoretical:.1%} of the theoretical {theoretical / 1e9:.0f}" if theoretical else ""
    return f"read ceiling {ceiling / 1e9:.0f} GB/s{share}"


def roofline(context, subjects, multiply_adds):
    """Bytes/s that memory and arithmetic allow with so many multiply-adds for each 4 bytes."""
    peak = float(context.get("fp32_flops", "inf"))
    ceiling = read_ceiling(subjects)
    return min(ceiling, peak / (2 * multiply_adds) * 4) if ceiling else 0.0
