"""The command line: options, one call of the api, one echo. A file for each command."""

from __future__ import annotations

import os
import sys

import click

from tracelens.cli.analyze import analyze
from tracelens.cli.diff import diff
from tracelens.cli.doctor import doctor
from tracelens.cli.issue import issue
from tracelens.cli.kernels import kernels
from tracelens.cli.output import fail
from tracelens.cli.profile import profile
from tracelens.errors import TracelensError, UsageError
from tracelens.version import __version__


def main() -> None:
    """Run the command and exit: 0 done, 1 input or device error, 2 usage, 3 a regression."""
    try:
        code = cli.main(standalone_mode=False) or 0
    except TracelensError as error:
        code = fail(error)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = UsageError.exit_code
    except click.ClickException as error:
        code = fail(UsageError(error.format_message(), _usage_hint(error)))
    except (click.Abort, KeyboardInterrupt):
        code = 130  # 128 + SIGINT, as shells say it
    except BrokenPipeError:  # the reader, a pager or head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="tracelens")
def cli() -> None:
    """Say where the microseconds of a GPU op's call go."""


for command in (profile, analyze, kernels, diff, issue, doctor):
    cli.add_command(command)


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "tracelens"
    return f"see `{command} --help`"
