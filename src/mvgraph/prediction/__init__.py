"""Labels and embedding of new samples."""
