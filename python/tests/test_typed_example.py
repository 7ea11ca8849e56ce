import pytest
import typed_example


@pytest.mark.filterwarnings("ignore::likelier.LikelierWarning")
def test_the_typed_example_runs():
    told, true = typed_example.main()
    assert abs(told - true) < 0.15
