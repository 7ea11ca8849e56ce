"""Seeds, as scikit-learn lets one state them."""

from __future__ import annotations

from typing import Any

import numpy as np

#: A number, a generator to draw one from, or None for a new one each time.
RandomState = int | np.random.Generator | np.random.RandomState | None


def seed_of(state: RandomState | Any) -> int:
    """The seed of all random choices."""
    if state is None:
        state = np.random.default_rng()
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**32))
    if isinstance(state, np.random.RandomState):
        return int(state.randint(2**31 - 1))
    if isinstance(state, (bool, np.bool_)) or not isinstance(state, (int, np.integer)):
        raise TypeError(f"random_state must be a whole number, a generator or None, got {state!r}")
    if not 0 <= state < 2**64:
        raise ValueError(f"random_state must be from 0 to 2**64 - 1, got {state}")
    return int(state)
