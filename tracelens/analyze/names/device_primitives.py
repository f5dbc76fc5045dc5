"""Sorts, scans and reductions of CUB, Thrust and rocPRIM."""

from __future__ import annotations

import re
from dataclasses import replace

from tracelens.analyze.names.cxx import arguments_of, last_identifier, parse_signature
from tracelens.analyze.names.decoder import INFERRED, Family, Spelling, read_arguments
from tracelens.analyze.names.roles import read_role
from tracelens.model.kernel_name import KernelName

_LIBRARY = re.compile(r"(?:\w+::)*?(cub|thrust|rocprim|hipcub)::", re.ASCII)
_CONFIG = re.compile(r"(\w{1,64})_config", re.ASCII)
"""rocPRIM launches everything through one trampoline; its first arguments name the algorithm."""

_TRAMPOLINES = ("_kernel_agent", "_kernel_agent_vshmem")

_FAMILY = {"cub": "CUB", "thrust": "Thrust", "rocprim": "rocPRIM", "hipcub": "hipCUB"}


def decode(spelling: Spelling) -> KernelName | None:
    """Read `cub::DeviceScanKernel<AgentScanPolicy<threads, items, ...>, ...>` and its kin."""
    path = spelling.signature.path
    library = _LIBRARY.match(path)
    if library is None:
        return None
    arguments = spelling.signature.arguments
    role = read_role(path)
    if role == "other" and (config := _CONFIG.search(" ".join(arguments[:3]))):
        role = read_role(config[1])
    family = Family(library[1], _FAMILY[library[1]], role, INFERRED)
    policy = arguments_of(arguments[0], "Policy") if arguments else ()
    fields = read_arguments(policy, "threads:int elements_per_thread:int")
    function = last_identifier(path)
    if function in _TRAMPOLINES and arguments:  # Thrust: what it runs is the agent
        agent = parse_signature(arguments[0]).path
        function = last_identifier(agent)
        family = replace(family, role=read_role(agent))
    if function:
        fields["op"] = function
    return family.reading(spelling, fields)
