"""Seconds of the processor, and memory, to read a large CSV and a large Parquet.

    python benchmarks/reading.py

The same CSV is read by pyarrow itself, into a frame, for comparison.
"""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from mvgraph import datasets
from mvgraph.views.lazy import ParquetArray


def table(n, d):
    rng = np.random.default_rng(0)
    names = {f"f{j}": rng.normal(size=n) for j in range(d)}
    return pa.table({"id": [f"s{i}" for i in range(n)], **names})


def best(read, times=3):
    """Return the least seconds of the processor: other programs do not count."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        found = read()
        seconds.append(time.process_time() - start)
    return min(seconds), found


def main():
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder, "t.csv")
        pyarrow.csv.write_csv(table(100_000, 60), csv)
        library, _ = best(lambda: pyarrow.csv.read_csv(csv))
        ours, data = best(lambda: datasets.load(csv))
        assert data.views.shape == (100_000, 60)
        print(
            f"CSV 100,000 x 60, {csv.stat().st_size / 1e6:.0f} MB: pyarrow"
            f" {library:.2f} s, mvgraph {ours:.2f} s ({ours / library:.2f} x)"
        )
        parquet = Path(folder, "t.parquet")
        pyarrow.parquet.write_table(
            table(1_000_000, 30), parquet, row_group_size=10_000
        )
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds, data = best(lambda: datasets.load(parquet), 1)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert isinstance(data.views.arrays[0], ParquetArray)
        print(
            f"Parquet 1,000,000 x 30, {parquet.stat().st_size / 1e6:.0f} MB: opened in"
            f" {seconds:.2f} s, stays in the file; peak grows by"
            f" {(after - before) / 1e3:.0f} MB"
        )


if __name__ == "__main__":
    main()
