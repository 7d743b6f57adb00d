"""GraphConsensus, the default: an ensemble of base partitions."""

from mvgraph.consensus.estimator import GraphConsensus

__all__ = ["GraphConsensus"]
