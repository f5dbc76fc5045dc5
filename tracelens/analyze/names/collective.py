"""Collectives: NCCL, RCCL and PyTorch's symmetric memory.

NCCL names a *representative* kernel. Its build picks one name for many variants and writes `RING`,
`LL` and `Sum` into it whatever runs, so neither algorithm, protocol nor reduction is reported. Old
releases (before 2.19) compiled one kernel per reduction and type, and their names hold both.
"""

from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    INFERRED,
    Family,
    Fields,
    Template,
    Words,
    first_of,
)

_NCCL = Family("nccl", "NCCL", "collective", DOCUMENTED)
_COLLECTIVE = (
    r"(?P<collective>AllReduce|AllGather|ReduceScatter|Reduce|Broadcast|SendRecv|AlltoAll"
    r"|AllToAll|Gather|Scatter)"
)
_TYPE = (
    r"(?P<dtype>bf16|f8e4m3|f8e5m2|[fui](?:8|16|32|64)|u?int(?:8|32|64)_t|half|float|double"
    r"|__nv_bfloat16)"
)
_PLACEHOLDER = r"RING|TREE|COLLNET(?:_DIRECT|_CHAIN)?|NVLS(?:_TREE)?|PAT|LL128|LL|SIMPLE|Simple"
_REDUCTION = r"SumPostDiv|PreMulSum|Sum|Prod|Min|Max|MinMax"


def _derive(fields: Fields) -> Fields:
    """A collective that reduces nothing carries a placeholder for reduction and type."""
    reduces = "Reduce" in str(fields.get("collective"))
    placeholders = () if reduces else ("dtype", "reduction")
    for placeholder in placeholders:
        fields.pop(placeholder, None)
    return {}


NCCL = first_of(
    Words(
        _NCCL,
        head=rf"nccl(?:Symk?)?DevKernel_ {_COLLECTIVE} (?=_|$)",
        words=rf"{_TYPE}|{_PLACEHOLDER}|{_REDUCTION}",
        derive=_derive,
        keep_unexplained=False,  # what is left are algorithms and protocols
    ),
    Words(
        _NCCL,
        head=rf"ncclKernel_ {_COLLECTIVE} (?=_)",
        words=rf"{_TYPE}|{_PLACEHOLDER}|(?P<reduction>{_REDUCTION})",
        derive=_derive,
        keep_unexplained=False,  # what is left are algorithms and protocols
    ),
    Words(
        _NCCL,
        head=rf"nccl {_COLLECTIVE} (?:Ring|Tree|CollNet)(?:LL128|LL|Simple)?Kernel",
        words=rf"{_TYPE}|(?P<reduction>sum|prod|min|max)|copy",
        derive=_derive,
        keep_unexplained=False,  # what is left are algorithms and protocols
    ),
)

RCCL = Template(
    Family("rccl", "RCCL", "collective", INFERRED),
    r"ncclDevKernel(?:Debug)?_Generic\w*|rccl\w*|mscclpp?\w*(?:::.*)?",
)

SYMMETRIC_MEMORY = Template(
    Family("symm_mem", "PyTorch", "collective", INFERRED),
    r"(?:c10d::symmetric_memory::)?(?:multimem_|one_shot_|two_shot_)\w+",
    ("dtype:dtype align_bytes:int",),
)
