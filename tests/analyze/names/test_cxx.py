import pytest

from tracelens.analyze.names.cxx import (
    Signature,
    arguments_of,
    parse_signature,
    read_boolean,
    read_integer,
    split_arguments,
)
from tracelens.analyze.names.dtypes import read_dtype


@pytest.mark.parametrize(
    ("text", "path", "arguments"),
    [
        ("void at::native::f<4, float>(int, float)", "at::native::f", ("4", "float")),
        ("f(int)", "f", ()),
        ("void (anonymous namespace)::g<long>(long*)", "g", ("long",)),
        ("void h<a<b, c>, (x::E)3 >", "h", ("a<b, c>", "(x::E)3")),
        (
            "std::enable_if<(((8)>(0)))&&v::ok, void>::type v::norm<T, 8>(T*)",
            "v::norm",
            ("T", "8"),
        ),
        ("void k<f(int)::{lambda(a, b)#1}::operator()() const>(int)", "k",
         ("f(int)::{lambda(a, b)#1}::operator()() const",)),
        ("void C<int>::run<2>(int)", "C::run", ("2",)),
        ("void less<&(a::operator< <int>)>(int)", "less", ("&(a::operator< <int>)",)),
        ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD", ()),
        ("void cut_short<a, b<c", "cut_short", ("a", "b<c")),
        ("", "", ()),
    ],
)  # fmt: skip  # a table, a line a name
def test_a_signature_is_taken_apart(text, path, arguments):
    assert parse_signature(text) == Signature(path, arguments)


def test_arguments_split_outside_brackets_only():
    assert split_arguments("int, f<a, b>(c, d), {x, y}") == ("int", "f<a, b>(c, d)", "{x, y}")


def test_the_arguments_of_a_template_are_found_anywhere_in_a_name():
    text = "device_kernel<flash::Mainloop<2, tuple<C<1>, C<1> > >, Epilogue>"
    assert arguments_of(text, "Mainloop") == ("2", "tuple<C<1>, C<1> >")
    assert arguments_of(text, "tuple") == ("C<1>", "C<1>")
    assert arguments_of(text, "Missing") == ()


def test_numbers_are_read_in_every_spelling_and_nothing_else_is_a_number():
    spellings = ["128", "128u", "2ul", "-1", "(unsigned int)7", "(ns::Enum)3", "int=9"]
    assert [read_integer(text) for text in spellings] == [128, 128, 2, -1, 7, 3, 9]
    assert [read_integer(text) for text in ["", "float=3", "1e3", "٣", "9" * 5000]] == [None] * 5


def test_truth_values_are_read_in_every_spelling():
    spellings = ["true", "(bool)1", "bool=1", "false", "(bool)0", "bool=0"]
    assert [read_boolean(text) for text in spellings] == [True, True, True, False, False, False]
    assert [read_boolean(text) for text in ["1", "(bool)10", "bool="]] == [None] * 3


def test_element_types_are_read_in_their_makers_spellings():
    spellings = ["__nv_bfloat16 const*", "c10::Half", "unsigned long", "Bfloat16", "Foo"]
    assert [read_dtype(text) for text in spellings] == ["bf16", "fp16", "uint64", "bf16", None]


def test_an_anonymous_namespace_is_no_template_argument_however_it_is_spelled():
    for spelled in ("<unnamed>", "(anonymous namespace)"):
        assert parse_signature(f"void at::{spelled}::f<{spelled}::A<3>, 4>(int)") == Signature(
            "at::f", (f"{spelled}::A<3>", "4")
        )
