"""Methods for comparison: one file per paper, without imports between them."""
