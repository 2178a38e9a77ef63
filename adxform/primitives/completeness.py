"""What an elementwise function cannot do for want of a facet in its record; both modes, batches and sparsity follow anyway."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adxform.primitives.record import Primitive
from adxform.primitives.table import meaning_of


def lacks(record: Primitive) -> tuple[str, ...]:
    """The names of what does not follow from `record`, of an elementwise function.

    >>> from adxform.primitives.table import record_of
    >>> lacks(record_of(np.tanh)), lacks(record_of(np.sinc))
    ((), ('out=', 'kernels'))
    """
    return tuple(_missing(record))


def _missing(record: Primitive) -> Iterator[str]:
    if record.derivative is None:
        yield "a derivative"
    single = isinstance(record.fn, np.ufunc) and record.fn.nout == 1
    if not single and record.ufunc is None and not record.takes_out:
        yield "out="
    meaning = meaning_of(record.fn)
    if meaning.gives is None or (record.kernel is None and meaning.kernel is None):
        yield "kernels"
