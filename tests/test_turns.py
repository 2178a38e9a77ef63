"""What `make test` leaves out of tests whose cases take turns is more of the same: each value of a parameter is in some case."""

from __future__ import annotations

import pytest

from tests.conftest import WITHOUT_TURN


def test_each_value_of_a_parameter_has_a_turn(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[WITHOUT_TURN] == []
