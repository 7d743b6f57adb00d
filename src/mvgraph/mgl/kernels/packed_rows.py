"""Compiled loops over packed rows, which become vector instructions; see packing.

x[a, r] is entry a of row r. Every loop over r writes one array: with more, the
compiler would have to check too many pairs of arrays for overlap.
"""

from mvgraph.ops.kernels.common import any_order_part


@any_order_part
def add(x, y):
    """Y += x."""
    for r in range(y.shape[0]):
        y[r] += x[r]


@any_order_part
def add_product(h, x, y):
    """Y += h x."""
    for r in range(y.shape[0]):
        y[r] += h[r] * x[r]


@any_order_part
def take(table, at, out):
    """Out = table[at]."""
    for r in range(out.shape[0]):
        out[r] = table[at[r]]


@any_order_part
def _add_above(x, level, y):
    for r in range(y.shape[0]):
        y[r] += x[r] if x[r] > level[r] else 0.0


@any_order_part
def _count_above(x, level, y):
    for r in range(y.shape[0]):
        y[r] += 1.0 if x[r] > level[r] else 0.0


@any_order_part
def _shift(x, used, top):
    """Subtract the largest entry of every row."""
    top[:] = x[0]
    for a in range(1, used):
        for r in range(top.shape[0]):
            top[r] = max(top[r], x[a, r])
    for a in range(used):
        for r in range(top.shape[0]):
            x[a, r] -= top[r]


@any_order_part
def _guess(x, old, used, total, count):
    """Sum and number of the entries of x where old is positive."""
    total[:], count[:] = 0.0, 0.0
    for a in range(used):
        for r in range(total.shape[0]):
            total[r] += x[a, r] if old[a, r] > 0.0 else 0.0
        for r in range(total.shape[0]):
            count[r] += 1.0 if old[a, r] > 0.0 else 0.0


@any_order_part
def threshold(x, old, used, t, total, count, before):
    """Find t with sum_a max(x[a] - t, 0) = 1, after x -= max(x); old > 0 is a guess.

    Any set of entries gives a t that is not too large. From there the sets {x > t}
    shrink to the exact one (Newton's method; Michelot 1986). t never decreases, so that
    rounding cannot make it oscillate. Most sets are the same as in the previous step.
    """
    _shift(x, used, t)
    _guess(x, old, used, total, count)
    t[:], before[:] = -1e300, 1e300
    fell = True
    while fell:
        for r in range(t.shape[0]):
            t[r] = max(t[r], (total[r] - 1.0) / count[r])
        total[:], count[:] = 0.0, 0.0
        for a in range(used):
            _add_above(x[a], t, total)
            _count_above(x[a], t, count)
        fell = False
        for r in range(t.shape[0]):
            fell |= count[r] < before[r]
        before[:] = count
    for r in range(t.shape[0]):
        t[r] = (total[r] - 1.0) / count[r]
