"""Compares profiles.toml with what clinfo prints under the layer, and looks for each figure's source.

Usage: table_test.py PROFILES.toml GLINT-LAYER.so CLINFO
The table is read here by other code than the layer's.
"""
import os
import re
import subprocess
import sys
import tomllib

SOURCES = ("galcore", "dump", "guide", "spec", "probe", "ours")
# Queries that came with OpenCL 1.2: a 1.1 device does not know them.
OF_1_2 = {
    "linker_available", "double_fp_config", "half_fp_config", "built_in_kernels",
    "image_max_buffer_size", "image_max_array_size", "partition_max_sub_devices",
    "preferred_interop_user_sync", "printf_buffer_size",
}
# What clinfo does not ask a device without images.
OF_IMAGES = {
    "max_samplers", "image_max_buffer_size", "image_max_array_size", "image2d_max_width",
    "image2d_max_height", "image3d_max_width", "image3d_max_height", "image3d_max_depth",
    "max_read_image_args", "max_write_image_args",
}
# What it asks only where there is such arithmetic; no table has it.
OF_ARITHMETIC = {"double_fp_config": "cl_khr_fp64", "half_fp_config": "cl_khr_fp16"}


def resolve(tables, name):
    """The table with what it inherits."""
    own = tables[name]
    result = dict(resolve(tables, own["inherits"])) if "inherits" in own else {}
    for key, value in own.items():
        if isinstance(value, dict):
            result[key] = {**result.get(key, {}), **value}
        elif key != "inherits":
            result[key] = value
    return result


def clinfo_name(key):
    if key.startswith("platform_"):
        return "CL_" + key.upper()
    return {
        "driver_version": "CL_DRIVER_VERSION",
        "preferred_work_group_size_multiple": "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
    }.get(key, "CL_DEVICE_" + key.upper())


def run_clinfo(clinfo, layer, profile):
    """(the platform's answers, those of each device)"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GLINT_", "POCL_DEV"))}
    environment |= {"OPENCL_LAYERS": layer, "GLINT_LAYER_PROFILE": profile}
    text = subprocess.run([clinfo, "--raw"], env=environment, capture_output=True, text=True,
                          check=True, timeout=60).stdout
    platform, devices = {}, {}
    for line in text.splitlines():
        match = re.match(r"(?:\[\w+/(\*|\d+)\])?\s+(CL_\w+)\s*(.*)", line)
        if not match:
            continue
        where, name, value = match.groups()
        answers = platform if where in (None, "*") else devices.setdefault(int(where), {})
        answers[name] = value.strip()
    return platform, [devices[i] for i in sorted(devices)]


def as_printed(value):
    if isinstance(value, bool):
        return "CL_TRUE" if value else "CL_FALSE"
    if isinstance(value, list):
        return " ".join(str(entry) for entry in value)
    return str(value).strip()


def same(expected, printed):
    if printed.startswith("0x") and isinstance(expected, int):
        return int(printed, 16) == expected
    return as_printed(expected) == printed


def may_be_missing(key, table):
    extension = OF_ARITHMETIC.get(key)
    return ((key in OF_1_2 and "OpenCL 1.1" in table["version"])
            or (key in OF_IMAGES and not table["image_support"])
            or (extension is not None and extension not in table["extensions"]))


def compare(profile, table, platform, devices):
    names = table["name"] if isinstance(table["name"], list) else [table["name"]]
    if len(devices) != len(names):
        yield f"{profile}: {len(devices)} devices, {len(names)} expected"
    for key, value in table.items():
        if key == "beyond":
            continue
        for i, answers in enumerate(devices):
            expected = names[i] if key == "name" else value
            where = platform if key.startswith("platform_") else answers
            printed = where.get(clinfo_name(key))
            if printed is None:
                if not may_be_missing(key, table):
                    yield f"{profile}: clinfo prints no {key} for device {i}"
            elif key in OF_1_2 and "OpenCL 1.1" in table["version"]:
                yield f"{profile}: a 1.1 device answers {key}: {printed}"
            elif not same(expected, printed):
                yield f"{profile}: {key} of device {i} is {printed!r}, the table has {expected!r}"


def lines_without_source(text):
    source = re.compile(r"#\s*(" + "|".join(SOURCES) + r")\b")
    for number, line in enumerate(text.splitlines(), 1):
        figure = re.match(r"\s*(\w+)\s*=", line)
        if figure and figure[1] != "inherits" and not source.search(line):
            yield f"line {number} has no source: {line}"


def main(path, layer, clinfo):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tables = tomllib.loads(text)
    problems = list(lines_without_source(text))
    compared = 0
    for profile, own in tables.items():
        if "inherits" not in own:
            continue
        table = resolve(tables, profile)
        platform, devices = run_clinfo(clinfo, layer, profile)
        problems += compare(profile, table, platform, devices)
        compared += len(table) * len(devices)
    print("\n".join(problems) or "everything that clinfo prints is as the tables have it")
    return 1 if problems or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
