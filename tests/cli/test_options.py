"""Laws of the options, over all commands."""

import pytest
import typer
from typer.main import get_command


def walk(command, words=()):
    """Yield every command below this one, with the words that call it."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield list(words), command
    for name, below in (inner or {}).items():
        yield from walk(below, (*words, name))


@pytest.fixture(scope="module")
def commands():
    from mvgraph.cli import app

    return list(walk(get_command(app)))


def options_of(command):
    return [p for p in command.params if p.param_type_name == "option"]


def test_an_option_is_no_value_of_another(commands, run, tmp_path, monkeypatch):
    """Each is refused before anything is read or written."""
    monkeypatch.chdir(tmp_path)
    for _, command in commands:
        options = options_of(command)
        for i, option in enumerate(o for o in options if not o.is_flag):
            for j, other in enumerate(options):
                name = other.opts[(i + j) % len(other.opts)]
                value = f"{name}=x" if (i + j) % 3 == 0 else name
                with pytest.raises(typer.BadParameter.__base__) as refused:
                    command.make_context("x", [option.opts[-1], value, "digits"])
                said = f"{option.opts[-1]} needs a value, and {value} is an option"
                assert refused.value.format_message() == said
    status, out, err = run("cluster", "-o", "-q", "digits", "--n-clusters", 10)
    assert (status, out) == (2, "")
    assert err.startswith("error: -o needs a value, and -q is an option")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("before", [[], ["datasets"]])
def test_an_option_before_the_command_is_no_value_either(run, before):
    status, _, err = run(*before, "--log-format", "-q", "list")
    assert (status, "--log-format needs a value" in err) == (2, True)


def test_other_words_are_values(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["cluster", "digits", "--n-clusters", 10, "--method", "kmeans-concat"]
    assert run(*words, "-o", "./-q.csv")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["-q.csv"]
    assert "--seed': " in run(*words, "--seed", "-1")[2]  # read as a number


def test_some_options_are_of_all_commands(commands):
    assert len(commands) > 10
    for _, command in commands:
        names = {name for option in options_of(command) for name in option.opts}
        assert {"--quiet", "-q", "--verbose", "--log-format"} <= names


def test_counts_means_one_thing(commands, run):
    taken = []
    for words, command in commands:
        found = [o for o in options_of(command) if "--counts" in o.opts]
        taken += [(words, option.help) for option in found]
    assert len(taken) == 7
    assert len({help_ for _, help_ in taken}) == 1
    for words, _ in taken:
        err = run(*words, "--counts", "words", "digits")[2]
        assert "--counts': " in err
        assert "raw" in err
        assert "log1p" in err


def test_an_option_of_a_dataclass_is_one_of_the_command():
    from mvgraph.cli._app import Application
    from mvgraph.cli._input import Input

    app, seen = Application("Some commands."), []

    @app.command()
    def look(source: Input, depth: int = 1) -> None:
        seen.append((source, depth))

    call = get_command(app)
    call(["look", "x", "--join", "inner", "--depth", "2"], standalone_mode=False)
    ((source, depth),) = seen
    assert (source.data, source.join, source.views, depth) == (
        ["x"], "inner", None, 2,
    )  # fmt: skip
    assert isinstance(app, typer.Typer)
