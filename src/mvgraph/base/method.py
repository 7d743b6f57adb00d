"""The record that describes one clustering method to the registry."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import Any

from mvgraph.base.loading import load_object


@dataclass(frozen=True)
class Method:
    """Name, origin and cost of a method, and the class that implements it.

    A baseline is registered by a module-level ``METHOD = Method(...)`` in its file.
    Every argument is a literal: the registry reads the record without importing the
    file, so that listing the methods is fast.

    Parameters
    ----------
    name : str
        Name for users, for example ``"mgl"``.
    title : str
        One-line description.
    reference : str
        Key of the entry in ``base/references.bib``, which has the authors, the title,
        the year and the DOI; empty: none.
    cost, memory : str
        Growth in the number of samples N, anchors M, views V, features d, clusters K.
    estimator : str
        ``"module:class"``; empty: the class that derives from `Clusterer` in the file.
    paper : str
        Replaces authors and title of the reference: "none: ..." where a method has no
        publication.
    order_free : bool or None, default=True
        True if a permutation of the samples changes only the numbering of clusters;
        None if this has not been determined.
    needs_n_by_n : bool, default=False
        True if dense N x N matrices are built.
    family : str, default="other"
        Kind of method: its colour in figures, one of `mvgraph.display.GROUPS`.
    parameters : mapping
        Parameters of the estimator that define this method.
    published : bool, default=False
        True if there is a preset "paper" with the settings of the publication; for
        data sets that are not in the publication, those of MSRC-v5.
    engines : tuple of str
        Values of the parameter ``engine`` of the estimator; empty: it has none.
    cost_model : str
        ``"module:function"``; called with the estimator, the shape of the data and
        the number of clusters, it returns a :class:`mvgraph.base.limits.Cost`.
    """

    name: str
    title: str
    reference: str
    cost: str
    memory: str
    estimator: str = ""
    paper: str = ""
    order_free: bool | None = True
    needs_n_by_n: bool = False
    family: str = field(default="other", repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    published: bool = False
    engines: tuple[str, ...] = field(default=(), repr=False)
    cost_model: str = field(default="", repr=False)
    finds_number: bool = field(default=False, repr=False)
    scores_outliers: bool = field(default=False, repr=False)

    @property
    def presets(self) -> tuple[str, ...]:
        """Names of the accepted presets."""
        return ("default", "paper") if self.published else ("default",)

    def make(
        self,
        n_clusters: Any,
        random_state: Any = None,
        preset: str = "default",
        dataset_name: str | None = None,
    ) -> Any:
        """Build the estimator, unfitted.

        A class of another package is wrapped; see
        :class:`mvgraph.base.foreign.ForeignClusterer`.

        Raises
        ------
        ValueError
            If the method has no such preset, does not find the number of clusters, or
            its class cannot be imported.
        """
        if n_clusters == "auto" and not self.finds_number:
            raise ValueError(
                f"method {self.name!r} does not find the number of clusters: give "
                "n_clusters, as mvgraph choose-k suggests it, or use graph-consensus"
            )
        if preset not in self.presets:
            known = ", ".join(self.presets)
            raise ValueError(
                f"method {self.name!r} has no preset {preset!r}; use one of: {known}"
            )
        parameters = dict(self.parameters)
        if preset == "paper":
            parameters |= published_settings(self.name, dataset_name)
        from mvgraph.base.clusterer import Clusterer  # slow to import
        from mvgraph.base.foreign import ForeignClusterer

        estimator = load_object(self.estimator)
        if not (isinstance(estimator, type) and issubclass(estimator, Clusterer)):
            estimator = partial(ForeignClusterer, estimator)
        return estimator(n_clusters, random_state=random_state, **parameters)

    def describe(self) -> dict[str, Any]:
        """Return the description of the method as plain JSON."""
        known = cite(self.reference) | {n: v for n, v in vars(self).items() if v != ""}
        names = ("name", "title", "paper", "year", "doi", "reference", "cost", "memory")
        row = {n: known[n] for n in (*names, "order_free", "needs_n_by_n")}
        return row | {"presets": self.presets}


#: An entry ends with the first brace that stands alone on a line.
ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*?)\},$", re.MULTILINE | re.DOTALL)


@cache
def read_references() -> dict[str, str]:
    """Return the text of every BibTeX entry by its key, in the order of the file."""
    file = resources.files("mvgraph.base").joinpath("references.bib")
    text = file.read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in ENTRY.finditer(text)}


def cite(reference: str) -> dict[str, Any]:
    """Return paper (authors and title), year and DOI of an entry; empty for none."""
    text = read_references().get(reference, "").replace(r"\'", "")  # accents
    plain = str.maketrans("", "", "{}")
    fields = {n: " ".join(v.translate(plain).split()) for n, v in FIELD.findall(text)}
    paper, year = "", int(fields["year"]) if fields else None
    if fields:
        names = [author.split(",")[0] for author in fields["author"].split(" and ")]
        if len(names) > 4 or names[-1] == "others":
            names = [f"{names[0]} et al."]
        authors = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        paper = f"{authors}, {fields['title']}"
    doi = fields.get("doi", "")
    return {"reference": reference, "paper": paper, "year": year, "doi": doi}


DEFAULT_SET = "msrc_v5"


def published_settings(
    method: str, dataset: str | None = None, *, strict: bool = False
) -> dict[str, Any]:
    """Return the published parameters of a method for one of the paper's sets.

    Parameters
    ----------
    method : str
        Name of a method in the registry.
    dataset : str or None
        Name of a set, or of its file up to ``__``; None: MSRC-v5.
    strict : bool, default=False
        Raise an error for a set without settings; otherwise use those of MSRC-v5.

    Raises
    ------
    ValueError
        If ``strict`` and there are no settings; the message lists the known sets.
    """
    text = resources.files("mvgraph.base").joinpath("published.json").read_text()
    table = json.loads(text)[method]
    name = DEFAULT_SET if dataset is None else str(dataset).split("__")[0]
    name = name.lower().replace("-", "_")
    if strict and name not in table:
        raise ValueError(
            f"dataset={dataset!r} has no published settings; known: "
            f"{', '.join(table)}, or None for those of {DEFAULT_SET}."
        )
    return dict(table.get(name, table[DEFAULT_SET]))
