"""A table of items as an analyst brings it: text, country, date, price, embeddings."""

import contextlib
import datetime
import io

import numpy as np
import pytest

from mvgraph import cli

K = 6
COUNTRIES = np.array(["DE", "FR", "IT", "ES", "UK", "US"], dtype=object)
STEMS = ("al", "be", "ce", "de", "fo", "gu", "ha", "im", "jo", "ku")
WORDS = [[f"{stem}{k}x" for stem in STEMS] for k in range(K)]
COMMON = ("the", "and", "with", "item", "good", "new", "for", "price")


def items(n, seed=0):
    """Make n items of six kinds and return the table and the kinds.

    Every column tells something of the kind: five of eleven words, seven of ten
    countries, the price, and two embeddings. Cells and embeddings are missing.
    """
    import pyarrow as pa

    centres = np.random.default_rng(99).normal(size=(2, K, 12))
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    country = COUNTRIES[np.where(rng.random(n) < 0.7, y, rng.integers(K, size=n))]
    country[rng.random(n) < 0.02] = None
    price = np.exp(0.5 * rng.normal(size=n) + 0.4 * y)
    price[rng.random(n) < 0.08] = np.nan
    vectors = 1.2 * centres[:, y] + rng.normal(size=(2, n, 12))
    held = rng.random((2, n)) > 0.03
    held[1] |= ~held[0]  # every item has one of them
    text, image = (
        [row.tolist() if there else None for row, there in zip(x, own, strict=True)]
        for x, own in zip(vectors, held, strict=True)
    )
    first = datetime.date(2024, 1, 1)
    day = datetime.timedelta(days=1)
    table = {
        "text": [
            " ".join([*rng.choice(WORDS[k], 5), *rng.choice(COMMON, 6)]) for k in y
        ],
        "country": country.tolist(),
        "date": [first + int(d) * day for d in rng.integers(365, size=n)],
        "price": pa.array(price, from_pandas=True),
        "text_embedding": text,
        "image_embedding": image,
    }
    return pa.table(table), y


def library(table, name):
    """Return an Arrow table as a frame of another library."""
    if name == "polars":
        import polars

        return polars.from_arrow(table)
    return table if name == "pyarrow" else table.to_pandas()


def write(table, path):
    """Write an Arrow table as Parquet."""
    from pyarrow import parquet

    parquet.write_table(table, path)


def dense(array):
    """Return a view as a dense array."""
    return array.toarray() if hasattr(array, "toarray") else np.asarray(array)


def same(views, others):
    """Check that views are equal to the bit, names included."""
    assert views.names == others.names
    assert views.feature_names == others.feature_names
    for a, b in zip(views.arrays, others.arrays, strict=True):
        np.testing.assert_array_equal(dense(a), dense(b))


def run(*words):
    """Run a command and return its status and what it says on standard error."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), pytest.raises(SystemExit) as end:
        cli.main(list(map(str, words)))
    return end.value.code, said.getvalue()
