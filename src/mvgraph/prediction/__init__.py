"""Labels and embedding of samples that were not clustered."""
