"""What a fitted model keeps of its samples, and writes: labels, a folder, a page."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.base.predictor import if_predictor_gives
from mvgraph.base.result import OF_ROWS
from mvgraph.ops.wording import extra
from mvgraph.views.casting import is_dask
from mvgraph.views.schema import Schema


class Kept:
    """Methods of every clusterer that write what was learned."""

    labels_: np.ndarray
    schema_: Schema

    @property
    def sample_ids_(self) -> np.ndarray | None:
        """Identifiers of the samples of the fit, None if they had none."""
        return self.schema_.ids

    def labels_frame(self) -> Any:
        """Return ``labels_`` as a pandas Series, with the index given to ``fit``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        check_is_fitted(self)
        with extra("labels_frame", "pandas", "files"):
            from pandas import Index, Series
        index = self.schema_.index
        if index is None and self.schema_.ids is not None:
            index = Index(self.schema_.ids)
        return Series(self.labels_, index=index, name="cluster")

    def _check_loaded(self) -> None:
        """Reject what a file contained if its parts do not fit each other."""
        from mvgraph.base.loaded import check_loaded  # of no use to a fit

        check_loaded(self)

    @if_predictor_gives("label")
    def save(self, folder: Any, *, rows: bool = True, ids: bool = True) -> Any:
        """Write the fitted model into a folder; see :func:`mvgraph.load_model`.

        Attributes that are dask arrays are left out.

        Parameters
        ----------
        folder : path
            Created; its parent must exist. An older model there is replaced, any other
            content is an error.
        rows : bool, default=True
            Keep what was learned of every sample, such as its graph, embedding and
            memberships. False: labels and identifiers stay, and nothing else of the
            samples; all that concerns new samples is the same, in a few MB.
        ids : bool, default=True
            Keep the identifiers of the samples. Without them, the next fit with
            ``like`` recognises clusters by predictions alone. Random identifiers cannot
            be compressed: UUIDs have 16 bytes each.

        Returns
        -------
        Path
        """
        from mvgraph.persistence.models import save_model

        check_is_fitted(self)
        fitted = {
            name: value
            for name, value in vars(self).items()
            if name[-1] == "_" and not is_dask(value) and (rows or name not in OF_ROWS)
        }
        # the identifiers are kept as an array
        kept = self.schema_.ids if ids else None
        fitted["schema_"] = replace(self.schema_, index=None, ids=kept)
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return save_model(type(self), parameters, fitted, folder, compress=not rows)

    def page(self, X: Any, path: Any, **options: Any) -> int:
        """Write a page that shows the clusters; see :func:`mvgraph.write_page`.

        Parameters
        ----------
        X : as in `fit`, the same samples
        path : path
            Ends in ``.html``.
        **options
            ``metadata``, ``pictures``, ``name`` and others.

        Returns
        -------
        int
            Bytes of the file.
        """
        check_is_fitted(self, "labels_")
        # by name, as the package loads its public names: pages know the methods, and
        # methods know no page
        return import_module("mvgraph.page").write_page(self, X, path, **options)
