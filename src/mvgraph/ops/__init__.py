"""Pure functions on arrays: the mathematics of one block, nothing else."""
