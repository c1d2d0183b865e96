"""Tables as CSV: every digit, plain values, and nothing that a spreadsheet would run."""

import numpy as np
import pandas as pd
import pytest
import torch

from core.data.csv_export import _csv_safe, csv_text, print_table


def test_formulas_do_not_reach_a_spreadsheet_and_numbers_stay_numbers() -> None:
    for cell in ("=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1"):
        assert _csv_safe(cell) == "'" + cell
    assert _csv_safe(-1.5) == -1.5 and _csv_safe("plain") == "plain"
    tokens = pd.Series(["=cmd()", "+1", "plain", "\ud800"], dtype=object)
    table = pd.DataFrame({"=token": tokens, "p": [-0.5, 0.1, 0.2, 0.3]})
    assert csv_text(table).splitlines() == ["'=token,p", "'=cmd(),-0.5", "'+1,0.1", "plain,0.2", "?,0.3"]
    assert table["p"].tolist() == [-0.5, 0.1, 0.2, 0.3]
    with pytest.raises(ValueError):
        csv_text({"a": [1, 2], "b": [1]})


def test_two_columns_of_one_name() -> None:
    assert csv_text(pd.DataFrame([["=a", "=b"]], columns=["x", "x"])) == "x,x\n'=a,'=b\n"


def test_every_digit_of_every_kind_of_number(capsys: pytest.CaptureFixture[str]) -> None:
    third = np.float32(1) / np.float32(3)
    print_table(
        {
            "list": [0.1 + 0.2, None],
            "array": np.array([third, np.nan], dtype=np.float32),
            "scalars": [third, np.bool_(True)],
            "tensor": torch.tensor([1, 2]),
        }
    )
    assert capsys.readouterr().out.splitlines() == [
        "list,array,scalars,tensor",
        "0.30000000000000004,0.3333333432674408,0.3333333432674408,1",
        ",nan,True,2",
    ]
