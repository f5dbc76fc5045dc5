"""Every error that a user can cause: a fact, a hint and the exit code it ends with."""


class TracelensError(Exception):
    """What went wrong and the one thing to do about it.

    `fact` says where, what was found and what was needed; `hint` is one action. `exit_code` is
    what the command ends with: 1 for an input or device error, 2 for usage, 3 for a regression.
    """

    exit_code = 1

    def __init__(self, fact: str, hint: str) -> None:
        super().__init__(fact)
        self.fact = fact
        self.hint = hint


class UsageError(TracelensError):
    """The command or a function was asked for something that it cannot mean."""

    exit_code = 2


class OpFileError(TracelensError):
    """The op file is missing, cannot be loaded or does not keep the contract."""


class WrongResultError(TracelensError):
    """The op's result differs from its reference: no timing is worth having."""


class OpFailedError(TracelensError):
    """The op raised, crashed, hung or was interrupted while it was measured."""


class InterruptedRunError(OpFailedError):
    """A run was asked to end, by Ctrl-C or a signal; what it had measured is kept."""

    exit_code = 130
    """128 + SIGINT, as shells say it."""


class UnmetExpectationError(TracelensError):
    """A kernel that the op file expects did not run, or nobody can tell whether it did."""


class TraceError(TracelensError):
    """The trace file cannot be read, or holds no trace."""


class TruncatedTraceError(TraceError):
    """The trace file ends early: events are lost, so every figure would be a lower bound."""


class RunFolderError(TracelensError):
    """A run folder cannot be written or read."""


class ExportError(TracelensError):
    """An export cannot be written."""
