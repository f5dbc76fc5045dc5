"""How well a subject's times are known: the median's interval, the instruments, the card."""

from __future__ import annotations

from collections.abc import Mapping

from tracelens.analyze.card import card_findings, card_metrics
from tracelens.analyze.instruments import disagreements, instruments
from tracelens.analyze.precision import discarded, ended_early, intervals
from tracelens.model.measurement import Measurement, SubjectRun
from tracelens.model.report import Environment, Section


def how_known(
    found: SubjectRun, taken: Mapping[str, Measurement], environment: Environment | None
) -> Section:
    """Return what stands behind the medians; `taken` holds those of the timeline too."""
    return Section(
        title="How well it is known",
        metrics=(
            *intervals(taken),
            *instruments(taken),
            *card_metrics(found.card, taken),
        ),
        findings=(
            *ended_early(taken),
            *discarded(taken),
            *disagreements(taken),
            *card_findings(found.card, environment),
        ),
    )
