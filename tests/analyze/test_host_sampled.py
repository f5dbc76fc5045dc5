"""The tree of a call's host time by sampled functions. Times in ns."""

from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.host_sampled import host_sampled
from tracelens.model.functions import Frame, FunctionSamples, Stack

OP = Frame(function="op", file="<op file>", line=7, defined=6)
ALLOCATES = Frame(
    function="sigmoid", file="flag_gems/ops/sigmoid.py", line=12, defined=10, text="torch.empty(n)"
)
RETURNS = Frame(
    function="sigmoid", file="flag_gems/ops/sigmoid.py", line=14, defined=10, text="return out"
)
LOGS = Frame(
    function="Logger.debug", file="logging/__init__.py", line=1478, defined=1470, text="if self:"
)
KEY = Frame(
    function="compute_cache_key",
    file="triton/runtime/jit.py",
    line=530,
    defined=520,
    text="key = str(specialization)",
)


def samples(
    *stacks: tuple[tuple[Frame, ...], int], unkept: int = 0, call_ns: int
) -> FunctionSamples:
    frames = tuple(dict.fromkeys(frame for stack, _ in stacks for frame in stack))
    return FunctionSamples(
        way="memory",
        frames=frames,
        stacks=tuple(
            Stack(frames=tuple(map(frames.index, stack)), count=count) for stack, count in stacks
        ),
        samples=sum(count for _, count in stacks) + unkept,
        unkept=unkept,
        batch=10,
        sampled_ns=(call_ns,),
        plain_ns=(call_ns - 1, call_ns, call_ns + 5),
    )


def test_time_is_divided_by_owner_purpose_function_and_line_and_sums_to_a_call_without_sampler():
    section = host_sampled(
        samples(
            ((OP, ALLOCATES), 40),
            ((OP, RETURNS), 10),
            ((OP, RETURNS, LOGS), 5),  # the standard library works for whoever called it
            ((OP, ALLOCATES, KEY), 30),
            ((OP,), 10),
            ((), 3),
            unkept=2,
            call_ns=65_000,
        )
    )
    (whole,), (table,) = section.metrics, section.tables
    assert (whole.tag, whole.value, whole.description) == (
        *("host_sampled/whole", 65_000, "100 samples, slowed x 1.00"),
    )
    assert [column.name for column in table.columns] == [
        *("name", "self_ns", "share", "total_ns", "error_ns", "samples", "depth", "parent"),
        *("file", "line"),
    ]
    gems, triton = "flag_gems/ops/sigmoid.py", "triton/runtime/jit.py"
    assert [(*row[:2], *row[3:4], *row[5:]) for row in table.rows] == [
        ("FlagGems", 0, 35_750, 55, 0, None, None, None),
        ("sigmoid (sigmoid.py:10)", 0, 35_750, 55, 1, 0, gems, 10),
        ("sigmoid.py:12 torch.empty(n)", 26_000, 26_000, 40, 2, 1, gems, 12),
        ("sigmoid.py:14 return out", 9_750, 9_750, 15, 2, 1, gems, 14),
        ("triton launcher", 0, 19_500, 30, 0, None, None, None),
        ("cache key", 0, 19_500, 30, 1, 4, None, None),
        ("compute_cache_key (jit.py:520)", 19_500, 19_500, 30, 2, 5, triton, 520),
        ("op's own code", 0, 8_450, 13, 0, None, None, None),
        ("op (<op file>:6)", 6_500, 6_500, 10, 1, 7, "<op file>", 6),
        ("C function", 1_950, 1_950, 3, 1, 7, None, None),
        ("stacks too rare to be kept", 1_300, 1_300, 2, 0, None, None, None),
    ]


def test_the_error_is_that_of_a_share_of_independent_samples():
    section = host_sampled(samples(((OP,), 7_500), ((), 2_500), call_ns=100_000))
    errors = {row[0]: row[4] for row in section.tables[0].rows}
    assert errors == {  # 1.96 * sqrt(0.75 * 0.25 / 10000) of the whole
        "op's own code": 0,
        "op (<op file>:6)": 849,
        "C function": 849,
    }


def test_without_samples_there_is_no_row():
    assert host_sampled(samples(call_ns=100)).tables[0].rows == ()


STACKS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([OP, ALLOCATES, RETURNS, LOGS, KEY]), max_size=4).map(tuple),
        st.integers(1, 5_000),
    ),
    min_size=1,
    max_size=12,
)


@given(STACKS, st.integers(0, 40), st.integers(1, 10**7))
def test_the_tree_sums_to_the_whole_and_every_row_to_what_is_below_it(stacks, unkept, call_ns):
    section = host_sampled(samples(*stacks, unkept=unkept, call_ns=call_ns))
    rows = section.tables[0].rows
    assert sum(row[1] for row in rows) == section.metrics[0].value == call_ns
    for number, row in enumerate(rows):
        below = [other for other in rows if other[7] == number]
        assert row[3] == row[1] + sum(other[3] for other in below)
