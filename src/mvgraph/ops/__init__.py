"""Pure functions of arrays: the mathematics of one block of rows."""
