"""Clusters that are the values of columns of few values are said to be that."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import cli


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"s{i}" for i in range(240)]})
    frame["channel"] = rng.choice(["web", "print", "radio"], 240)
    frame["length"], frame["score"] = rng.gamma(2, size=240), rng.normal(size=240)
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.filterwarnings("ignore")
def test_it_is_said_and_how_to_look_beside_it(capsys, table, tmp_path):
    command = ["cluster", str(table), "-o", str(tmp_path / "l.csv")]
    for more, said in ([], True), (["--drop", "channel"], False):
        with pytest.raises(SystemExit) as end:
            cli.main([*command, *more])
        assert end.value.code == 0
        err = capsys.readouterr().err
        found = "The clusters are nearly the values of column 'channel': drop" in err
        assert found is said
