"""Read damaged files of every format; print the table of docs/damaged_files.md.

    python benchmarks/damaged_files.py [COPIES] [FIRST SEED] [FORMAT ...]

A good file of every format is damaged, half of the copies at any bytes and half within
their format, as `tests/datasets/structures.py` does it. Every copy is read in a process
of its own. Exits with 1 if one ends with a traceback, a crash or not at all.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / p) for p in ("", "datasets")]

import damage  # noqa: E402
from test_damage import FORMATS  # noqa: E402

OUTCOMES = ("read", "refused", "traceback", "crash", "hang")


def main(copies=105, first=1000, *chosen):
    total, bad = Counter(), []
    print("| format |", " | ".join(OUTCOMES), "| peak MB |")
    print("|---" * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        damage.write_all(folder)
        damage.write_others(folder)
        for name in chosen or FORMATS:
            found, peak = Counter(), 0.0
            for seed in range(int(first), int(first) + int(copies)):
                rng = np.random.default_rng([seed, FORMATS.index(name)])
                path = Path(folder, f"{seed}-{name}")
                damage.damaged_copy(Path(folder, name), path, rng)
                outcome, megabytes, message = damage.read_apart(path)
                found[outcome] += 1
                peak = max(peak, megabytes)
                if outcome not in OUTCOMES[:2] or megabytes > damage.MEGABYTES:
                    bad.append(
                        f"{path.name}: {outcome}, {megabytes:.0f} MB: {message[-400:]}"
                    )
            total += found
            cells = [name, *(found[one] for one in OUTCOMES), f"{peak:.0f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
    print("| all |", " | ".join(str(total[one]) for one in OUTCOMES), "| |")
    sys.exit("\n".join(bad) if bad else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
