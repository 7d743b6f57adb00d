"""What the views of a fit are, and how other views are matched with them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mvgraph.views.casting import is_annotated
from mvgraph.views.coerce import as_views
from mvgraph.views.columns import RepeatedColumnError
from mvgraph.views.container import Views
from mvgraph.views.counts import find_kinds, other_kinds
from mvgraph.views.feature_names import ReadsColumns, match_columns, taken_by_position
from mvgraph.views.order import Content, content

if TYPE_CHECKING:
    from mvgraph.views.annotated import Annotation


@dataclass(frozen=True)
class Schema:
    """What the views of a fit are: all that other views are compared with.

    Parameters
    ----------
    method : str
        Name of the class that was fitted, for messages.
    needs_every_view : bool
        True if the method cannot label samples without some view.
    n_samples : int
    names : tuple of str
        Names of the views, made up where there were none.
    named : bool
        True if the caller named them.
    n_features : tuple of int
    feature_names : tuple of (tuple of str or None)
    counts : tuple of (bool or None)
        Which views contain counts, if that was determined.
    ids : ndarray of shape (n_samples,), or None
    index : pandas.Index or None, of the ids
    content : Content
        Hash of the rows.
    annotation : Annotation or None
    encoders : ReadsColumns or None
    """

    method: str
    needs_every_view: bool
    n_samples: int
    names: tuple[str, ...]
    named: bool
    n_features: tuple[int, ...]
    feature_names: tuple[tuple[str, ...] | None, ...]
    counts: tuple[bool | None, ...]
    ids: np.ndarray | None
    index: Any
    content: Content
    annotation: Annotation | None = None
    encoders: ReadsColumns | None = None

    @classmethod
    def of(
        cls, views: Views, held: Content, method: str, needs_every_view: bool
    ) -> Schema:
        """Describe the views of a fit."""
        present = [not views.lacks(v) for v in range(views.n_views)]
        return cls(
            method,
            needs_every_view,
            len(views),
            views.names,
            views.named,
            views.n_features,
            views.feature_names,
            find_kinds(views.arrays, present),
            views.ids,
            views.index,
            held,
            encoders=views.encoders and views.encoders.after_fit(views),
        )

    @property
    def columns(self) -> dict[str, tuple[str, ...] | None]:
        """Names of the columns by view."""
        return dict(zip(self.names, self.feature_names, strict=True))

    @property
    def widths(self) -> dict[str, int]:
        """Numbers of features by view."""
        return dict(zip(self.names, map(int, self.n_features), strict=True))

    def match(self, X: Any, *, stacklevel: int = 4) -> Views:
        """Give other samples the form of the fit: its views and columns, in its order.

        Views that have names are matched by them, never by position, and so are
        columns; a warning names the views whose columns have names, or that hold
        counts, only here or only in the fit. A view that is not there at all is absent
        from every sample. Values of dask arrays are not read.

        Parameters
        ----------
        X : as in fit, with the same views
        stacklevel : int, default=4
            Of the warnings, counted from here.

        Returns
        -------
        Views
            Views and their columns in the order of the fit.

        Raises
        ------
        ValueError
            If the views have other names, columns or numbers of features, or a view is
            not there and the method needs every one.
        """
        self.refuse_raw_counts(X)
        try:
            views = as_views(X) if self.encoders is None else self.encoders.read(X)
        except RepeatedColumnError as error:
            raise RepeatedColumnError(*error.what, " in the new data") from error
        views = self._in_order(views)
        if views.n_views == len(self.names):
            views = self._with_columns(views)
        self._refuse_widths(views)
        present = [not views.lacks(v) for v in range(views.n_views)]
        kinds, names = find_kinds(views.arrays, present), views.feature_names
        texts = (
            taken_by_position(self.names, names, self.feature_names, present),
            other_kinds(self.names, kinds, self.counts),
        )
        for text in filter(None, texts):
            warnings.warn(text, UserWarning, stacklevel=stacklevel)
        known = zip(self.feature_names, present, strict=True)
        return views.replace(
            views.arrays, [names if there else None for names, there in known]
        )

    def refuse_raw_counts(self, X: Any) -> None:
        """Reject raw cells where the model was fitted on normalised counts.

        Raises
        ------
        ValueError
            X is an AnnData or MuData.
        """
        if self.annotation and self.annotation.log1p and is_annotated(X):
            raise ValueError(
                "The model was fitted on counts that were scaled to log(1 + x) "
                "(counts='log1p'), and these cells would be read unchanged; label "
                "new cells with mvgraph.tl.predict(data, model), and rank features "
                "with mvgraph.tl.rank_features(data, counts='log1p')."
            )

    def refuse_fewer_views(self, views: Views) -> None:
        """Reject input without all of the fitted views.

        Methods that label samples without some views do not show what these views say.

        Raises
        ------
        ValueError
            The message names the missing views, or all of them where they have no
            names.
        """
        if views.n_views >= len(self.names):
            return
        absent = [name for name in self.names if name not in views.names]
        if views.named and not set(views.names) <= set(self.names):
            return  # another error, which `match` reports
        said = f"it lacks {', '.join(map(repr, absent))}"
        if not views.named:
            shape = ", ".join(f"{name!r} ({d})" for name, d in self.widths.items())
            said = f"the fit had, with columns, {shape}; X has {views.n_features}"
        raise ValueError(
            f"X has {views.n_views} of the {len(self.names)} views that {self.method} "
            f"was fitted on: {said}. Pass all views of the fit."
        )

    def check_same_rows(self, views: Views, *, stacklevel: int = 2) -> None:
        """Reject fitted rows in another order; warn if they are not recognised.

        Rows are compared by their ids, and by a hash of their content. Other values
        under the ids of the fit are in order: raw counts, say, of a fit on scaled ones.

        Parameters
        ----------
        views : Views
            With views and columns in the order of the fit.
        stacklevel : int, default=2
            Of the warning, counted from the caller.

        Raises
        ------
        ValueError
            The number or the order of the rows differs.
        """
        if len(views) != self.n_samples:
            raise ValueError(
                f"The model was fitted on {self.n_samples} samples, X has "
                f"{len(views)}; pass the views of the fit."
            )
        text = self._other_ids(views)
        if text is None:
            return
        now = content(views, self.content.seed)
        if now == self.content:
            return
        if now.rows == self.content.rows:
            raise ValueError(
                f"X holds the rows that {self.method} was fitted on in another order, "
                "and labels_ belong to rows by position; pass X as in fit."
            )
        text = (
            text
            or f"X contains other values than those that {self.method} was fitted on"
        )
        text += "; labels_ are taken by position: pass rows in the order of the fit."
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)

    def _other_ids(self, views: Views) -> str | None:
        """Compare ids: None if they are those of the fit; "" if they do not decide."""
        if self.ids is None or views.ids is None:
            return ""
        before, now = (np.asarray(ids).astype(str) for ids in (self.ids, views.ids))
        different = before != now
        if not different.any():
            return None
        if np.array_equal(np.sort(before), np.sort(now)):
            raise ValueError(
                f"X names the samples that {self.method} was fitted on in another "
                "order, and labels_ belong to rows by position; bring X into the order "
                "of model.sample_ids_."
            )
        first = int(np.argmax(different))
        return (
            f"{int(different.sum())} of {len(now)} samples of X have other ids than in "
            f"the fit of {self.method}, first {str(now[first])!r} where it had "
            f"{str(before[first])!r}"
        )

    def _in_order(self, views: Views) -> Views:
        """Match views by name, now and at the fit; fill in missing ones.

        Without names on either side, only the order can be used. A single view needs no
        name: two files of samples have different names.
        """
        single = len(self.names) == views.n_views == 1
        if single or not views.named or views.names == self.names:
            return views
        if not set(views.names) <= set(self.names):
            raise ValueError(
                f"The views are named {views.names}, but {self.method} was fitted on "
                f"{self.names}; pass the same names"
                f"{'' if self.named else ', or a list in the order of the fit'}."
            )
        lacking = [name for name in self.names if name not in views.names]
        if lacking and self.needs_every_view:
            raise ValueError(
                f"View {lacking[0]!r} of the fit is not there: {self.method} needs "
                "every view of every sample."
            )
        return views.complete(self.names, self.n_features)

    def _with_columns(self, views: Views) -> Views:
        """Put the columns of every view into the order of the fit, by name."""
        now, fitted = views.feature_names, self.feature_names
        quads = zip(views.names, views.arrays, now, fitted, strict=True)
        arrays, names = zip(*(match_columns(*quad) for quad in quads), strict=True)
        return views.replace(arrays, names)

    def _refuse_widths(self, views: Views) -> None:
        """Reject views whose number or sizes differ from those of the fit."""
        now, fitted = views.n_features, self.n_features
        if len(now) == len(fitted) == 1 and now != fitted:  # in scikit-learn's words
            raise ValueError(
                f"X has {now[0]} features, but {self.method} is expecting {fitted[0]} "
                f"features as input (view {views.names[0]!r}); pass the columns of the "
                "fit."
            )
        if len(now) != len(fitted):
            raise ValueError(
                f"X has {len(now)} view(s) with {now} features, but {self.method} was "
                f"fitted on {len(fitted)} with {fitted}; pass the same views."
            )
        different = [
            f"view {view!r} has {a} features, {b} in the fit"
            for view, a, b in zip(views.names, now, fitted, strict=True)
            if a != b
        ]
        if different:
            raise ValueError(
                f"X is not like the views that {self.method} was fitted on: "
                f"{'; '.join(different)}. Pass the same views in the same order."
            )
