"""Options of cluster on what is kept of a fit for tomorrow: its model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option


@dataclass(frozen=True)
class Keep:
    """What is kept of a fit."""

    save: Annotated[
        Path | None,
        Option(
            metavar="MODEL",
            help="Folder for the fitted model; mvgraph predict labels new samples.",
        ),
    ] = None
    save_rows: Annotated[
        bool,
        Option(
            "--save-rows",
            help="Keep graph, embedding and memberships of the samples in it, too.",
        ),
    ] = False

    def check(self, model: Any) -> None:
        """Refuse, before a long computation, what cannot be done with a method."""
        from mvgraph.base.predictor import refuse_no_predictor
        from mvgraph.persistence.document import check_folder

        if self.save is not None:
            refuse_no_predictor(model, "--save: ")
            check_folder(self.save)
        elif self.save_rows:
            raise ValueError("--save-rows needs --save MODEL")

    def write(self, model: Any) -> dict[str, Any]:
        """Save the model if that was asked for; return what JSON says of it."""
        if self.save is None:
            return {}
        model.save(self.save, rows=self.save_rows)
        return {"model": str(self.save)}
