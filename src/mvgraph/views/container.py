"""Views: several descriptions of the same samples, row-aligned and float."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import html_table
from mvgraph.views.casting import (
    as_float,
    check_ids,
    check_names,
    check_shapes,
    is_plain,
)
from mvgraph.views.dask_array import DaskArray, rows_of_all
from mvgraph.views.feature_names import ReadsColumns, check_sequence
from mvgraph.views.missing import presence


class Views:
    """Hold several row-aligned descriptions of the same samples.

    A container that scikit-learn can slice by row: ``len``, ``shape`` and
    ``views[rows]`` refer to samples, so that ``GridSearchCV`` and ``cross_validate``
    work with a ``scoring``. The views themselves are in ``arrays``, ``names``,
    ``items()`` and ``view(name)``. A loop over Views, or one array made of them, would
    be ambiguous: both are a TypeError that says what to write.

    Parameters
    ----------
    arrays : sequence of array-like or sparse matrix, each of shape (n_samples, d_v)
        One array per view, samples in rows; frames and other views that name their
        rows are matched by these names, see :func:`mvgraph.as_views`. Integers and
        booleans are cast to float64 before any arithmetic; float32 and float64 are
        kept; sparse becomes CSR; fully masked rows of masked arrays become NaN.
    names : sequence of str, optional
        One name per view; default ``view_0``, ``view_1``, ...
    ids : array-like of shape (n_samples,), optional
        Identifiers of the samples, carried along and never used in computations.
    feature_names : sequence of (sequence of str or None), optional
        Names of the columns, by view; default: those of frames.

    Attributes
    ----------
    arrays : tuple of ndarray or csr_matrix
    names : tuple of str
    ids : ndarray or None
    feature_names : tuple of (tuple of str or None)
        Names of the columns by view.
    mask : ndarray of bool, shape (n_samples, n_views), or None
        True where the sample has the view. A row that is NaN in every column of a
        view is absent from that view. None when nothing is absent.

    Raises
    ------
    ValueError
        Views of different lengths, empty views, strings, objects, complex numbers,
        infinity, values beyond a tenth of the type's largest, or NaN in part of a row.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> views = Views([np.ones((4, 2)), np.zeros((4, 3), dtype=np.uint8)])
    >>> views.shape, views.n_features, views[:2].n_samples
    ((4, 5), (2, 3), 2)
    >>> [(name, a.shape) for name, a in views.items()]
    [('view_0', (4, 2)), ('view_1', (4, 3))]
    """

    ids: np.ndarray | None
    encoders: ReadsColumns | None = None  # how columns of tables became the views

    def __init__(
        self,
        arrays: Sequence[Any],
        names: Sequence[str] | None = None,
        ids: Any = None,
        feature_names: Sequence[Sequence[str] | None] | None = None,
    ) -> None:
        if len(arrays) == 0:
            raise ValueError("No views were given; pass at least one 2-D array.")
        self.names, self.named = check_names(names, len(arrays)), names is not None
        own, index = None, None
        features: Sequence[Any] = (None,) * len(arrays)
        if not all(map(is_plain, arrays)):
            from mvgraph.views.alignment import align

            unique = len(arrays) > 1
            arrays, own, index, features = align(arrays, self.names, unique=unique)
        self._keep(arrays, own, index, feature_names or features)
        if ids is not None:
            self.ids, self.index = check_ids(ids, len(self)), None

    def _keep(
        self, arrays: Sequence[Any], ids: Any, index: Any, features: Sequence[Any]
    ) -> None:
        """Cast and check what was aligned."""
        cast = [as_float(a, n) for a, n in zip(arrays, self.names, strict=True)]
        self.arrays, self.ids, self.index = tuple(cast), ids, index
        check_shapes([a.shape for a in cast], self.names, len(self))
        self.feature_names = check_sequence(features, self.names, self.n_features)
        if not all(isinstance(a, DaskArray) for a in cast):
            self.mask = presence(self.arrays, self.names, self.feature_names)

    @classmethod
    def _from_aligned(cls, aligned: Sequence[Any], names: Any, named: bool) -> Views:
        """Build from views whose rows were put into one order."""
        self = cls.__new__(cls)
        self.names, self.named = check_names(names, len(aligned[0])), named
        self._keep(*aligned)
        return self

    @classmethod
    def _trusted(cls, arrays, names, ids, mask) -> Views:
        """Build from parts that were already checked."""
        self = cls.__new__(cls)
        self.arrays, self.names, self.ids = tuple(arrays), tuple(names), ids
        self.mask = None if mask is None or mask.all() else mask
        self.index, self.named = None, True
        self.feature_names = (None,) * len(self.arrays)
        return self

    def _changed(self, **parts: Any) -> Views:
        """Return views with other parts, already checked."""
        made = copy(self)
        vars(made).update(parts)
        if not made.unread and made.mask is not None and made.mask.all():
            made.mask = None
        return made

    @cached_property
    def mask(self) -> np.ndarray | None:
        """Which sample has which view; rows on workers are read once to find out."""
        return self._find_mask(self.arrays)

    @property
    def unread(self) -> bool:
        """Whether all rows are on workers and the mask has not been computed yet."""
        return "mask" not in vars(self)

    def lacks(self, v: int) -> bool:
        """Return whether no sample has a view; rows on workers are not read."""
        if self.unread:  # anything that is not a dask array was filled in
            return not isinstance(self.arrays[v], DaskArray)
        return self.mask is not None and not self.mask[:, v].any()

    @property
    def on_workers(self) -> bool:
        """Whether every row is in a dask array; absent views may be any array."""
        far = [isinstance(a, DaskArray) for a in self.arrays]
        return any(far) and all(f or self.lacks(v) for v, f in enumerate(far))

    def _find_mask(self, arrays: Sequence[Any]) -> np.ndarray | None:
        """Find the mask of unread views, or of some of their rows."""
        lacking = [v for v in range(self.n_views) if self.lacks(v)]
        return presence(arrays, self.names, self.feature_names, lacking)

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.arrays)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.arrays[0].shape[0]

    @property
    def n_features(self) -> tuple[int, ...]:
        """Number of features of every view."""
        return tuple(a.shape[1] for a in self.arrays)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features over all views."""
        return self.n_samples, sum(self.n_features)

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: Any) -> Views:
        if isinstance(rows, str):
            raise TypeError(
                f"views[{rows!r}]: rows are taken by position; a view by its name is "
                f"views.view({rows!r})."
            )
        if isinstance(rows, tuple):  # scikit-learn slices with (rows, ...)
            rows = rows[0]
        if isinstance(rows, int | np.integer):
            rows = [rows]
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
        arrays = tuple(rows_of_all(self.arrays, rows))
        if self.unread:
            mask = self._find_mask(arrays)
        else:
            mask = None if self.mask is None else self.mask[rows]
        return self._changed(
            arrays=arrays,
            ids=None if self.ids is None else self.ids[rows],
            mask=mask,
            index=None if self.index is None else self.index[rows],
        )

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(
            "Views have samples and views: loop over views.items() or views.arrays "
            "for the views, or over range(len(views)) with views[i] for the samples."
        )

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError(
            f"Views are {self.n_views} arrays, not one: take views.arrays, or "
            "views.view(name) for one of them. The methods scale views themselves; to "
            "transform every view first, as a pipeline does with one array, write "
            "Views([transformer.fit_transform(x) for x in views.arrays], views.names)."
        )

    def items(self) -> Iterator[tuple[str, Any]]:
        """Iterate over the views as pairs of name and array."""
        return zip(self.names, self.arrays, strict=True)

    def view(self, key: int | str) -> Any:
        """Return one view by position or name."""
        if isinstance(key, str):
            if key not in self.names:
                raise ValueError(f"No view is named {key!r}; names: {self.names}.")
            key = self.names.index(key)
        return self.arrays[key]

    def select(self, keys: Sequence[int] | np.ndarray) -> Views:
        """Return the views at the given positions, in that order."""
        parts: dict[str, Any] = {}
        if not self.unread and self.mask is not None:
            parts = {"mask": self.mask[:, list(keys)]}
        return self._changed(
            arrays=tuple(self.arrays[v] for v in keys),
            names=tuple(self.names[v] for v in keys),
            feature_names=tuple(self.feature_names[v] for v in keys),
            **parts,
        )

    def replace(self, arrays: Sequence[Any], feature_names: Sequence[Any]) -> Views:
        """Return views of the same samples with other columns, already checked."""
        names = tuple(None if own is None else tuple(own) for own in feature_names)
        return self._changed(arrays=tuple(arrays), feature_names=names)

    def complete(self, names: Sequence[str], n_features: Sequence[int]) -> Views:
        """Return the views of these names in this order; missing ones are absent."""
        places = {name: v for v, name in enumerate(self.names)}
        at = [places.get(name) for name in names]
        n, parts = self.n_samples, {}
        if not self.unread:
            mask = np.ones((n, self.n_views), bool) if self.mask is None else self.mask
            absent = np.zeros(n, dtype=bool)
            columns = [absent if v is None else mask[:, v] for v in at]
            parts["mask"] = np.column_stack(columns)
        return self._changed(
            arrays=tuple(
                # no memory: one zero, read everywhere
                np.broadcast_to(np.float64(0), (n, d)) if v is None else self.arrays[v]
                for v, d in zip(at, n_features, strict=True)
            ),
            names=tuple(names),
            feature_names=tuple(
                None if v is None else self.feature_names[v] for v in at
            ),
            **parts,
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{n}: {d}" for n, d in zip(self.names, self.n_features, strict=True)
        )
        missing = "" if self.mask is None else f", {int((~self.mask).sum())} absent"
        return f"Views({self.n_samples} samples; {parts}{missing})"

    def _repr_html_(self) -> str:
        return self.html_table(f"{self.n_views} views of {self.n_samples} samples")

    def html_table(self, title: str) -> str:
        """Return a table of the views for notebooks: name, size, storage and gaps."""
        absent = [0] * self.n_views if self.mask is None else (~self.mask).sum(axis=0)
        stored = [
            f"{'sparse ' if sp.issparse(a) else ''}{a.dtype}" for a in self.arrays
        ]
        head = ["view", "features", "stored as", "samples without it"]
        rows = zip(self.names, self.n_features, stored, absent, strict=True)
        return html_table(title, head, list(rows))
