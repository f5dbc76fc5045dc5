"""`python -m tracelens` is the command `tracelens`."""

from tracelens.cli import main

main()
