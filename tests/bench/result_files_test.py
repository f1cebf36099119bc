"""Result files: what is kept of Google Benchmark's rows, and what bench/results and bench/trials may hold."""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import compare  # noqa: E402
import result_files  # noqa: E402


def row(aggregate, time, rate=None, name="copy/kb:4/by:dma", **more):
    run_name = f"{name}/iterations:5/manual_time"
    result = {
        "name": f"{run_name}_{aggregate}", "family_index": 0, "per_family_instance_index": 0, "run_name": run_name,
        "run_type": "aggregate", "repetitions": 3, "threads": 1, "aggregate_name": aggregate, "aggregate_unit": "time",
        "iterations": 3, "real_time": time, "cpu_time": 1000.5, "time_unit": "us", **more,
    }  # fmt: skip
    return result if rate is None else {**result, "bytes_per_second": rate}


MEASURED = {
    "context": {"device": "a GPU", "commit": "abc", "caches": [{"level": 1}]},
    "benchmarks": [
        row("mean", 2.5, 1.6e12, error=0.25),
        row("median", 2.25, 1.7777777777777778e12, error=0.25),
        row("stddev", 0.5, 3e11, error=0.0),
        row("cv", 0.2, 0.2, error=0.0),
        row("min", 2.0, 1e12, error=0.25),
        row("max", 4.0, 2e12, error=0.25),
        row("median", 0.1, name="latency/warps:8/by:dma", label="eight warps"),
        row("min", 0.09, name="latency/warps:8/by:dma"),
        row("max", 0.30000000000000004, name="latency/warps:8/by:dma"),
        {"name": "copy/kb:8/by:dma/iterations:5/manual_time", "run_name": "copy/kb:8/by:dma/iterations:5/manual_time",
         "run_type": "iteration", "error_occurred": True, "error_message": "wrong answer", "real_time": 0.0},
    ],
}  # fmt: skip


class Reduced(unittest.TestCase):
    def test_medians_spreads_and_counters_are_kept_digit_by_digit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            result_files.write(path, result_files.reduce(MEASURED))
            text = path.read_text(encoding="utf-8")
        self.assertEqual(
            json.loads(text),
            {
                "context": {"device": "a GPU", "commit": "abc", "caches": [{"level": 1}]},
                "benchmarks": [
                    {"name": "copy/kb:4/by:dma", "repetitions": 3, "time_unit": "us",
                     "real_time": {"min": 2.0, "median": 2.25, "max": 4.0},
                     "bytes_per_second": {"min": 1e12, "median": 1.7777777777777778e12, "max": 2e12},
                     "counters": {"error": 0.25}},
                    {"name": "latency/warps:8/by:dma", "repetitions": 3, "time_unit": "us",
                     "real_time": {"min": 0.09, "median": 0.1, "max": 0.30000000000000004},
                     "label": "eight warps"},
                    {"name": "copy/kb:8/by:dma", "error_message": "wrong answer"},
                ],
            },
        )  # fmt: skip
        self.assertEqual(sum("by:" in line for line in text.splitlines()), 3, "a line a benchmark")

    def test_what_is_reduced_stays_as_it_is(self):
        once = result_files.reduce(MEASURED)
        self.assertEqual(result_files.reduce(once), once)

    def test_a_run_without_repetitions_is_its_own_median(self):
        single = {**row("", 2.0, 3.0), "run_type": "iteration", "repetition_index": 0}
        del single["aggregate_name"]
        (benchmark,) = result_files.reduce({"context": {}, "benchmarks": [single]})["benchmarks"]
        self.assertEqual(benchmark["real_time"], {"min": 2.0, "median": 2.0, "max": 2.0})
        self.assertNotIn("counters", benchmark)


class Read(unittest.TestCase):
    def test_both_forms_give_the_same_subjects(self):
        with tempfile.TemporaryDirectory() as folder:
            measured, reduced = pathlib.Path(folder) / "measured.json", pathlib.Path(folder) / "reduced.json"
            measured.write_text(json.dumps(MEASURED), encoding="utf-8")
            result_files.write(reduced, result_files.reduce(MEASURED))
            self.assertEqual(result_files.read(measured), result_files.read(reduced))
            context, subjects, failed = result_files.read(reduced)
        self.assertEqual(context, MEASURED["context"])
        self.assertEqual(failed, {"copy/kb:8/by:dma": "wrong answer"})
        copy = subjects["copy/kb:4/by:dma"]
        self.assertEqual((copy.sweep, copy.axes), ("copy", {"kb": 4, "by": "dma"}))
        self.assertEqual((copy.rate_low, copy.rate, copy.rate_high), (1e12, 1.7777777777777778e12, 2e12))
        self.assertAlmostEqual(copy.seconds, 2.25e-6)
        self.assertEqual(subjects["latency/warps:8/by:dma"].rate, 0)

    def checked(self, target, known=()):
        """What compare.py counts as missed of `MEASURED` beside the benchmark that failed, and what it prints."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            results, targets, reasons = (pathlib.Path(folder) / name for name in ("results", "targets", "known"))
            result_files.write(results, result_files.reduce(MEASURED))
            targets.write_text(json.dumps([target]), encoding="utf-8")
            reasons.write_text(json.dumps(list(known)), encoding="utf-8")
            failed = 1
            return compare.check_targets(results, targets, reasons) - failed, said.getvalue()

    def test_a_counter_may_have_a_limit(self):
        def missed(at_most, counter="error"):
            target = {"says": "error", "sweep": "copy", "counter": counter, "ours": {"by": "dma", "kb": 4}}
            return self.checked({**target, "at_most": at_most})[0]

        self.assertEqual(missed(0.25), 0)
        self.assertEqual(missed(0.2), 1)
        self.assertEqual(missed(1, "another"), 1)

    FIGURE = {"says": "copy", "sweep": "copy", "at": {"kb": [4]}, "ours": {"by": "dma"}, "ratio": 1.0}

    def test_a_figure_of_another_program_is_a_target(self):
        self.assertEqual(self.checked({**self.FIGURE, "theirs": {"microseconds": 2.25}})[0], 0)
        count, said = self.checked({**self.FIGURE, "theirs": {"microseconds": 2.0}})
        self.assertEqual(count, 1)
        self.assertIn("MISSED  0.889", said)
        self.assertIn("against  2.0 us", said)

    def test_a_target_of_another_gpu_is_for_the_record(self):
        target = {**self.FIGURE, "theirs": {"microseconds": 2.0}}
        self.assertEqual(self.checked({**target, "of": "a GPU"})[0], 1)
        count, said = self.checked({**target, "of": "other GPU"})
        self.assertEqual(count, 0)
        self.assertIn("copy (of an other GPU; for the record)", said)
        self.assertIn(" 0.889 ", said)

    def test_a_miss_whose_reason_is_known_is_told_and_not_counted(self):
        target = {**self.FIGURE, "theirs": {"microseconds": 2.0}}
        reason = {"device": "a GPU", "ours": "copy/kb:4/*", "says": "copy", "reached": 0.9, "limit": "memory"}
        count, said = self.checked(target, [reason])
        self.assertEqual(count, 0)
        self.assertIn("known   0.889", said)
        self.assertIn(": memory", said)
        for other in ({"device": "another"}, {"ours": "copy/kb:8/*"}, {"says": "another"}, {"reached": 0.92}):
            self.assertEqual(self.checked(target, [{**reason, **other}])[0], 1, other)
        self.assertNotIn("memory", self.checked({**target, "ratio": 0.8}, [reason])[1])


class Ceilings(unittest.TestCase):
    def test_the_read_ceiling_is_told_with_its_share_of_the_memory_clock(self):
        fast = {**row("median", 1.0, 4.5e12, name="saturation/warps:1/by:hand"), "repetitions": 1}
        content = result_files.reduce({"context": {"theoretical_bytes_per_second": "4800000000000.0"}, "benchmarks": [fast]})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            result_files.write(path, content)
            context, subjects, _ = result_files.read(path)
        said = result_files.ceilings(context, subjects.values())
        self.assertEqual(said, "read ceiling 4500 GB/s, 93.8% of the theoretical 4800")
        self.assertEqual(result_files.ceilings({}, subjects.values()), "read ceiling 4500 GB/s")
        self.assertEqual(result_files.ceilings(context, []), "")


class CheckedCost(unittest.TestCase):
    LINES = "gemv, phase, bulk    DMA_CHECKED=0    73.6 us\ngemv, phase, bulk    DMA_CHECKED=1    74.7 us\n"

    def written(self, printed):
        """The exit status of checked_cost.py, and its file where it wrote one."""
        with tempfile.TemporaryDirectory() as folder:
            run, output, results = (pathlib.Path(folder) / name for name in ("run.json", "output.txt", "results.json"))
            context = {"device": "D", "driver": "1", "toolkit": "2", "commit": "c", "sms": "3"}
            result_files.write(run, {"context": context, "benchmarks": []})
            output.write_text(printed, encoding="utf-8")
            command = [sys.executable, BENCH / "checked_cost.py", run, output, results]
            status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
            return status, json.loads(results.read_text(encoding="utf-8")) if results.exists() else None

    def test_both_programs_make_a_row_and_the_run_gives_the_context(self):
        status, content = self.written(self.LINES)
        self.assertEqual(status, 0)
        self.assertEqual(content["benchmarks"], [{"name": "gemv, phase, bulk", "unchecked": 73.6, "checked": 74.7}])
        del content["context"]["unit"]
        self.assertEqual(content["context"], {"device": "D", "driver": "1", "toolkit": "2", "commit": "c"})

    def test_a_kernel_of_one_program_only_is_refused(self):
        self.assertEqual(self.written(self.LINES.splitlines()[0]), (1, None))
        self.assertEqual(self.written(""), (1, None))


class Committed(unittest.TestCase):
    def test_every_file_of_whole_runs_and_of_trials_is_reduced(self):
        runs, trials = (sorted((BENCH / folder).glob("*.json")) for folder in ("results", "trials"))
        self.assertTrue(runs and trials)
        self.assertFalse([path.name for path in runs if "trial" in path.name or "profile" in path.name])
        for path in runs + trials:
            content = json.loads(path.read_text(encoding="utf-8"))
            self.assertTrue(all("run_name" not in benchmark for benchmark in content["benchmarks"]), path)
            self.assertTrue({"device", "driver", "toolkit", "commit"} <= content["context"].keys(), path)

    def test_whole_runs_miss_nothing_but_what_has_a_reason_and_every_reason_is_of_a_miss(self):
        targets, known = compare.read_lists(compare.TARGETS, compare.KNOWN)
        used = []
        for name in ("NVIDIA_H200.json", "NVIDIA_H100_80GB_HBM3.json"):
            path = BENCH / "results" / name
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(compare.check_targets(path), 0, said.getvalue())
            context, subjects, _ = result_files.read(path)
            for target in targets:
                for ratio in compare.ratios_of(target, context, list(subjects.values())):
                    used += [entry for entry in known if ratio.is_missed and compare.with_limit(ratio, context, [entry]).limit]
        self.assertEqual([entry for entry in known if entry not in used], [])


if __name__ == "__main__":
    unittest.main()
