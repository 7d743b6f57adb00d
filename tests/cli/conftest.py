"""The command line in this process."""

import pytest

from mvgraph import cli

#: Commands that report on stderr what they read, unless they are told not to.
REPORTS = {"cluster", "predict", "evaluate", "choose-k", "explain"}


@pytest.fixture
def run(capsys):
    """Run the command line without reports; return status, stdout, stderr."""

    def call(*args):
        with pytest.raises(SystemExit) as exit_:
            cli.main([*map(str, args), *(["--quiet"] if {*args[:1]} & REPORTS else [])])
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return call
