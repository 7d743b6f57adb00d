"""Files written beside their target: what is left of others, and what is theirs."""

import os

import pytest

from mvgraph.persistence import files

NAME = ".labels.csv.0123456789abcdef.tmp"


def test_what_a_killed_writer_left_is_removed(tmp_path):
    (tmp_path / NAME).write_text("half")
    other = tmp_path / ".labels.csv.notes.tmp"
    other.write_text("mine")
    files.replace_text(tmp_path / "labels.csv", "whole")
    assert {p.name for p in tmp_path.iterdir()} == {"labels.csv", other.name}


def test_what_another_writer_holds_stays(tmp_path):
    target = tmp_path / "labels.csv"
    with files.replacing(target) as first:
        first.write(b"first")
        files.replace_text(target, "second")
        assert target.read_text() == "second"
        assert len(list(tmp_path.iterdir())) == 2
    assert target.read_text() == "first"
    assert len(list(tmp_path.iterdir())) == 1


def test_links_and_folders_with_such_a_name_are_left_alone(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("x")
    (tmp_path / NAME).symlink_to(precious)
    (tmp_path / NAME.replace("0", "1")).mkdir()
    files.replace_text(tmp_path / "labels.csv", "whole")
    assert precious.read_text() == "x"
    assert len(list(tmp_path.iterdir())) == 4


def test_where_the_file_system_knows_no_locks_age_decides(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    (tmp_path / NAME).write_text("half")
    files.replace_text(tmp_path / "labels.csv", "whole")
    assert (tmp_path / NAME).exists()  # somebody may write it just now
    os.utime(tmp_path / NAME, (0, 0))
    files.replace_text(tmp_path / "labels.csv", "whole")
    assert not (tmp_path / NAME).exists()


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=str(tmp_path)):
        files.replace_text(tmp_path / "labels.csv", "whole")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["_create", "finish"])
def test_errors_name_the_target_and_not_the_hidden_file(tmp_path, monkeypatch, call):
    def fail(*args):
        hidden = str(tmp_path / ".y.csv.0123.tmp")
        raise FileNotFoundError(2, "No such file or directory", hidden)

    monkeypatch.setattr(files, call, fail)
    with (
        pytest.raises(OSError, match=r"y\.csv'$") as error,
        files.replacing(tmp_path / "y.csv"),
    ):
        pass
    assert error.value.filename == str(tmp_path / "y.csv")
