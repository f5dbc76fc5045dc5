import pytest

from tracelens.model.expectation import ExpectedKernel, StatedKernels, matches
from tracelens.model.op import Op, Variant


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("nvjet*", "nvjet_sm90_tst", True),
        ("nvjet", "nvjet_sm90_tst", False),
        ("*_k?", "my_k1", True),
        ("f[0]", "f[0]", True),
        ("f[0]", "f0", False),
        ("K", "k", False),
        ("*", "", True),
    ],
)
def test_a_pattern_fits_a_whole_text_and_brackets_are_only_brackets(pattern, text, fits):
    assert matches(pattern, text) is fits


def test_a_pattern_with_many_stars_ends_soon_on_a_long_name():
    assert not matches("a*" * 20 + "b", "a" * 60_000)


def test_an_expectation_is_about_the_cases_and_variants_that_its_patterns_fit():
    small = ExpectedKernel(kernel="k", case="m*", variant="fast")
    assert small.holds_for("m1", "fast")
    assert not small.holds_for("m1", "plain")
    assert not small.holds_for("n1", "fast")
    assert not small.holds_for(None, "fast")
    assert ExpectedKernel(kernel="k").holds_for(None, None)


def test_an_op_states_for_each_case_what_it_expects_of_it():
    ours, all_ = ExpectedKernel(kernel="k", case="m1"), ExpectedKernel(kernel="l")
    configs = {"k": ("NW",)}
    op = Op(
        name="op",
        inputs=tuple,
        variants=(Variant(call=print),),
        configs=configs,
        expected=(ours, all_),
    )
    assert op.stated_kernels("m1", None) == StatedKernels(configs=configs, expected=(ours, all_))
    assert op.stated_kernels("m8", None) == StatedKernels(configs=configs, expected=(all_,))


def test_an_op_that_states_nothing_of_its_kernels_has_no_record_of_it():
    op = Op(name="op", inputs=tuple, variants=(Variant(call=print),))
    assert op.stated_kernels("m1", None) is None
