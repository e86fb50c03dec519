#!/usr/bin/env python3
"""glint-bench as people run it: table, JSON, comparison, refusals. Usage: bench_test.py GLINT-BENCH"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
# The smallest frames and the variants that build fastest.
FILTER = "--benchmark_filter=^(ceiling/read|histogram/cpu/noise/grey|binomial5/ep/binomial_rows/grey)/640x480"
ROWS = 3


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.saved = os.path.join(cls.folder.name, "saved.json")
        cls.first = run(FILTER, f"--benchmark_out={cls.saved}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def baseline(self, change):
        """The saved run with every row changed, as a file."""
        with open(self.saved, encoding="utf-8") as file:
            document = json.load(file)
        document["benchmarks"] = [row for row in map(change, document["benchmarks"]) if row]
        path = os.path.join(self.folder.name, f"{self.id()}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def refused(self, status, *arguments, says):
        result = run(*arguments)
        self.assertEqual(result.returncode, status, result)
        for text in says:
            self.assertIn(text, result.stdout + result.stderr)

    def test_table_has_every_row_with_its_verdict(self):
        self.assertEqual(self.first.returncode, 0, self.first)
        lines = {line.split("/iterations")[0]: line for line in self.first.stdout.splitlines()
                 if "/640x480/" in line}
        self.assertEqual(len(lines), ROWS, self.first.stdout)
        self.assertRegex(lines["ceiling/read/640x480"], r"GB/s=.*work-group \d+, \d+ work-items")
        for name in ("histogram/cpu/noise/grey/640x480", "binomial5/ep/binomial_rows/grey/640x480"):
            self.assertRegex(lines[name], r"GB/s=.*of_ceiling=.*x_floor=.*(memory|compute)-bound")

    def test_json_names_the_device_and_adds_up(self):
        with open(self.saved, encoding="utf-8") as file:
            document = json.load(file)
        for key in ("opencl_device", "opencl_driver", "opencl_profile", "opencl_version"):
            self.assertTrue(document["context"][key])
        rows = {row["name"].split("/iterations")[0]: row for row in document["benchmarks"]}
        self.assertEqual(len(rows), ROWS)
        row = rows["binomial5/ep/binomial_rows/grey/640x480"]
        seconds = row["real_time"] * 1e-6
        self.assertEqual(row["time_unit"], "us")
        self.assertAlmostEqual(row["GB/s"] * seconds * 1e9, 2 * 640 * 480, delta=1)
        self.assertAlmostEqual(row["Gop/s"] * seconds * 1e9, 2 * 10 * 640 * 480, delta=1)
        self.assertAlmostEqual(row["x_floor"] * row["floor_us"], row["real_time"], delta=1e-3)
        # The ceiling that bounds is the nearer one, so the floor alone never says more.
        self.assertGreaterEqual(row["of_ceiling"] * row["x_floor"], 0.999)
        if row["label"] == "memory-bound":
            self.assertAlmostEqual(row["of_ceiling"] * row["x_floor"], 1, delta=1e-3)

    def test_comparison_marks_what_changed_and_fails_only_when_asked(self):
        def change(row):
            if row["name"].startswith("ceiling"):
                return None
            factor = 0.001 if row["name"].startswith("histogram") else 1000
            row["real_time"] *= factor
            row["x_floor"] *= factor
            return row
        path = self.baseline(change)
        result = run(FILTER, f"--baseline={path}")
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout, r"\nhistogram/cpu/noise/grey/640x480 .* ! slower")
        self.assertRegex(result.stdout, r"\nbinomial5/ep/binomial_rows/grey/640x480 .* \+ faster")
        self.assertRegex(result.stdout, r"\nceiling/read/640x480 .* - only in this run")
        self.assertIn("1 faster, 1 slower, 0 within noise", result.stdout)
        strict = run(FILTER, f"--baseline={path}", "--fail-above=10", "--benchmark_format=json")
        self.assertEqual(strict.returncode, 3, strict)
        self.assertIn("by more than 10 %: 1\n", strict.stderr)
        self.assertEqual(len(json.loads(strict.stdout)["benchmarks"]), ROWS)

    def test_rows_that_the_filter_leaves_out_are_not_missed(self):
        result = run("--benchmark_filter=^histogram/cpu/noise/grey/640x480",
                     f"--baseline={self.saved}")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(" 0 only in the baseline, 0 only in this run", result.stdout)

    def test_all_adds_formats_strides_and_work_group_sizes(self):
        names = run("--benchmark_list_tests").stdout
        every = run("--benchmark_list_tests", "--all").stdout
        for part in ("histogram/ep/private_counters/noise/rgb24/640x480/",
                     "binomial3/ep/int_rows/y16/3840x2160/", "/grey/1920x1080/plus1/",
                     "/grey/1920x1080/padded64/", "/LOCAL:64/", "general5/cpu/yuyv/640x480/"):
            self.assertIn(part, every)
            self.assertNotIn(part, names)

    def test_every_operator_has_rows(self):
        names = run("--benchmark_list_tests").stdout.splitlines()
        for task in ("histogram", "binomial3", "binomial5", "general3", "general5", "gaussian7", "general7",
                     "gaussian15", "general15", "gaussian31", "general31", "float3", "float5", "lookup", "sobel",
                     "downscale", "normalise", "planar", "sharpness", "general3_histogram", "general5_histogram"):
            for kind in ("ep", "cpu"):
                self.assertTrue([name for name in names if name.startswith(f"{task}/{kind}/")], f"{task} {kind}")
        # Filters above 5x5 take seconds where they suit the device least.
        self.assertIn("1920x1080", "".join(name for name in names if name.startswith("general31/")))
        self.assertNotIn("3840x2160", "".join(name for name in names if name.startswith("general31/")))

    def test_bytes_are_counted_for_the_operator(self):
        result = run("--benchmark_filter=^(downscale|planar|sharpness)/(ep|cpu)/.*640x480", "--benchmark_format=json")
        self.assertEqual(result.returncode, 0, result)
        rows = json.loads(result.stdout)["benchmarks"]
        self.assertEqual(len(rows), 6)
        bytes_of_pixel = {"downscale": 1.25, "planar": 6, "sharpness": 1}
        for row in rows:
            moved = row["GB/s"] * row["real_time"] * 1e3
            expected = bytes_of_pixel[row["name"].split("/")[0]] * 640 * 480
            self.assertAlmostEqual(moved, expected, delta=1, msg=row["name"])
            self.assertGreater(row["of_ceiling"], 0)
            self.assertGreater(row["x_floor"], 0)
            self.assertIn(row["label"], ("memory-bound", "compute-bound"))

    def test_bad_arguments_are_refused_with_what_is_wrong(self):
        self.refused(2, "--benchmrk_filter=x", says=["--benchmrk_filter=x"])
        self.refused(2, "stray", says=["stray"])
        self.refused(2, "--fail-above=5", says=["--baseline"])
        self.refused(2, "--baseline=x", "--fail-above=-5", says=["-5", "from 0"])
        self.refused(2, "--baseline=x", "--fail-above=much", says=["much"])
        self.refused(1, "--device=Nobody/*", says=["Nobody/*", "there are:", "/"])
        self.refused(1, "--benchmark_filter=no_such_row", says=["no_such_row", "--all"])
        self.refused(1, "--baseline=/no/such/file.json", says=["/no/such/file.json"])
        self.refused(1, f"--baseline={__file__}", says=[__file__, "--benchmark_out"])


if __name__ == "__main__":
    unittest.main()
