"""The page of clusters: one HTML file that needs no network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mvgraph.page import summary, template
from mvgraph.page.data import PageData, collect
from mvgraph.page.document import document
from mvgraph.persistence.files import PAGES, check_target, replace_text

#: Scripts, in the order in which they are joined.
SCRIPTS = (
    *("data", "colours", "figures", "map", "labels", "gestures", "dot", "legend"),
    *("find", "evidence", "cards", "names", "chosen", "levels", "tree", "heat"),
    *("spread", "views", "table", "odd", "start"),
)

#: Signs of HTML, and characters that a reader of the file would not see.
ACTIVE = re.compile("[<>&\x7f-\x9f\u2028-\u202e\ufffe\uffff]")


def check_page(path: str | Path) -> Path:
    """Check before a long computation that a page can be written.

    Raises
    ------
    ValueError
        The folder does not exist, or the name does not end in ``.html``.
    ImportError
        The extra ``report`` is not installed.
    """
    template.check_extra("the page")
    return check_target(path, PAGES)


def write_page(model: Any, X: Any, path: str | Path, **options: Any) -> int:
    """Write a page that shows the clusters of a fitted model; return its bytes.

    The file needs no network and no other file. It shows a map of the samples, every
    cluster with what distinguishes it and samples that are typical of it, the levels,
    what every view alone says, samples that belong to none, and how the data were read.

    Parameters
    ----------
    model : fitted clusterer
    X : what the model was fitted on
    path : path
        Ends in ``.html``.
    metadata : DataFrame or mapping of str to sequence, optional
        Columns that are shown and were not clustered, a value for each sample in the
        order of X.
    folder : path, optional
        Of the data. Where a column names pictures in files below it, small copies are
        shown of the samples that are listed.
    pictures : array of shape (n_samples, height, width) or with 3 channels, optional
        A small picture of every sample.
    name : str, optional
        Of the data, for the title.
    reading : Reading, optional
        How a file was read, from `mvgraph.datasets.load`.
    command : str, optional
        That makes the page again.
    monitor : dict, optional
        How new samples compare with those of the fit, from ``to_dict`` of
        :func:`mvgraph.monitor`.
    described_by : mapping, optional
        Other columns that tell what a view means, see :func:`mvgraph.explain`.
    most : int, default=50000
        Samples on the page; of more, some are drawn, of every cluster at least 500.

    Returns
    -------
    int
        Bytes of the file.

    Raises
    ------
    ValueError
        X is not what the model was fitted on, or the file cannot be written.
    ImportError
        jinja2 is not installed.
    """
    check_page(path)
    return replace_text(path, render(collect(model, X, **options)))


def render(data: PageData) -> str:
    """Format a page."""
    scripts = (f"{name}.js" for name in SCRIPTS)
    files = ("page.css", "failed.js", *scripts)
    css, failed, *parts = template.texts("mvgraph.page", *files)
    whole = "\n".join(parts)
    script = f'"use strict";\n(async () => {{\n{whole}\n}})().catch(failed);\n{failed}'
    index, packed = document(data)
    return template.render(
        "mvgraph.page",
        "page.html",
        css,
        script,
        index=_in_script(index),
        packed=packed,
        data=data,
        own=data.levels[data.base],
        told=summary,
    )


def _in_script(value: Any) -> str:
    """Return JSON that cannot end the element which holds it, nor hides anything."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text = ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8", "replace").decode()
