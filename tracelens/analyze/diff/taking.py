"""How the two sides were taken, and what that cannot tell."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.analyze.diff.compared import Compared
from tracelens.model.pairs import Paired
from tracelens.model.report import Finding


def how_taken(
    subjects: Sequence[Compared], turns: Sequence[Paired], *, same_sides: bool
) -> tuple[Finding, ...]:
    """Say how the sides were taken; `turns` are what they took in turns, for each subject.

    `same_sides` says that both are the same on purpose.
    """
    on_cpu = all(subject.on_cpu for subject in subjects)
    in_turns = _in_turns(turns, on_cpu=on_cpu)
    if same_sides and in_turns:
        return (*_a_a_check(subjects), *in_turns)
    return _one_recording(subjects) or (
        *(in_turns or _taken_apart(subjects, on_cpu=on_cpu)),
        *_unchecked(subjects),
    )


def _a_a_check(subjects: Sequence[Compared]) -> tuple[Finding, ...]:
    """Say whether sides that are the same were found to be."""
    words = [subject.change.verdict for subject in subjects]
    false = sum(word in ("faster", "slower") for word in words)
    judged = len(words) - words.count("not comparable")
    if not judged:
        return ()
    check = "an A/A check: both sides are the same op under the same interpreter"
    if not false:
        return (
            Finding(
                tag="diff/a_a_check",
                severity="info",
                fact=f"{check}, and no difference was found in {judged} of {judged} verdicts",
                advice="",
            ),
        )
    return (
        Finding(
            tag="diff/a_a_check",
            severity="warning",
            fact=f"{check}: every difference is a false one, {false} of {judged} verdicts on "
            "the call",
            advice="one in a hundred is to be expected; if it comes again, this machine is too "
            "unsteady for so few --processes",
        ),
    )


def _one_recording(subjects: Sequence[Compared]) -> tuple[Finding, ...]:
    """Find out whether a run or a trace stands on both sides: a mistake, and no comparison."""
    sides = [(before, after) for before, after in (s.sides for s in subjects) if before and after]
    known = [(b.recordings, a.recordings) for b, a in sides if b.recordings and a.recordings]
    if not known or not all(set(before).intersection(after) for before, after in known):
        return ()
    several = any(len(recordings) > 1 for pair in known for recordings in pair)
    what = "one run stands on both sides" if several else "both sides are one recording"
    return (
        Finding(
            tag="diff/one_recording",
            severity="warning",
            fact=f"{what}: every time that was sampled is the same to the nanosecond. The verdict "
            "says nothing of two builds",
            advice="give the recording of another build on one side",
        ),
    )


def _in_turns(turns: Sequence[Paired], *, on_cpu: bool) -> tuple[Finding, ...]:
    """Say how the turns were taken; nothing where there were none."""
    rounds = [taken for paired in turns for taken in paired.values()]
    if not rounds:
        return ()
    processes = len(rounds[0].baseline_ns)
    placed, alone = "all of a round on one core", "Kernels, and profiled times,"
    if on_cpu:
        placed, alone = "each on all cores that it may have", "Profiled times"
    counts = sorted({len(taken.baseline_ns[0]) for taken in rounds})
    return (
        Finding(
            tag="diff/in_turns",
            severity="info",
            fact=f"{processes} warm processes of each side took turns for "
            f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} rounds, the order "
            f"swapped every round and {placed} ({rounds[0].includes}); what processes of one side "
            f"differ by is the noise floor. {alone} come from one run of each side",
            advice="",
        ),
    )


def _unchecked(subjects: Sequence[Compared]) -> tuple[Finding, ...]:
    """Say that the candidate may be no replacement; variants of one file are held against it."""
    sides = [subject.sides[1] for subject in subjects if not subject.failed]
    if not any(side.unchecked for side in sides if side):
        return ()
    return (
        Finding(
            tag="diff/unchecked",
            severity="info",
            fact="the candidate's results were held against nothing: its op file has no reference, "
            "and it may compute something else than the baseline",
            advice="add reference(*inputs) to it",
        ),
    )


def _taken_apart(subjects: Sequence[Compared], *, on_cpu: bool) -> tuple[Finding, ...]:
    """Say what two recordings that did not alternate cannot tell, of what was compared at all."""
    if all(subject.failed for subject in subjects):
        return ()
    if any(side.profiled for subject in subjects for side in subject.sides if side):
        return (
            Finding(
                tag="diff/profiled",
                severity="warning",
                fact="both traces were recorded under a profiler, which slows every call of the "
                "API: fewer launches look better than they are",
                advice="measure both with tracelens profile for host times without it",
            ),
        )
    kernels = "" if on_cpu else " and kernels by 1 %"
    runs = [
        max(side.runs if side else 1 for side in sides)
        for sides in zip(*(subject.sides for subject in subjects), strict=True)
    ]
    if max(runs) > 1:
        return (
            Finding(
                tag="diff/several_runs",
                severity="info",
                fact=f"runs of the baseline: {runs[0]}, of the candidate: {runs[1]}, a process "
                "each. What processes of one build differ by makes the intervals and the floors; "
                "parts and kernels are those of the first run of each",
                advice="take the runs of both sides in turns, so that neither has the hotter card",
            ),
        )
    return (
        Finding(
            tag="diff/not_alternated",
            severity="info",
            fact="the two runs are one process a side, taken one after the other. From process to "
            f"process host times have moved by a factor of two{kernels}, whatever the build: the "
            "noise floors say so, and the intervals know nothing of it",
            advice="for host times give several runs a side with --to, or let both take turns: "
            "tracelens diff base_op.py cand_op.py",
        ),
    )
