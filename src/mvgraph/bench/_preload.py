"""Imports of every trial, loaded once by the server that trials are forked from."""

from contextlib import suppress

from mvgraph import methods
from mvgraph.bench import trial
from mvgraph.ops.kernels import common as _kernels
from mvgraph.views.container import Views

for _name in methods.names():
    with suppress(Exception):  # one of another package; its trials show the reason
        methods.get(_name).make(2)

__all__ = ["Views", "_kernels", "methods", "trial"]
