"""`python -m recallreach`: the same as the `recallreach` command."""

from recallreach.study.cli import main

if __name__ == "__main__":
    main()
