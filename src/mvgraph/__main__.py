"""Run the command line with ``python -m mvgraph``."""

from mvgraph.cli import main

if __name__ == "__main__":
    main()
