"""Text of strangers in Markdown: it takes place in its cell and does nothing."""

import pytest
from markdown_it import MarkdownIt

from tracelens.render.markdown_text import bullets, code, details, fence, table, text

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])

HOSTILE = [
    "a|b",
    "`x` and ``y``",
    "`",
    "<script>alert(1)</script>",
    "</details><details open>",
    "[link](http://evil.example)",
    "![image](http://evil.example/x.png)",
    "**bold** _under_ ~~gone~~ $x$ &copy;",
    "line\nbreak\r\n\n# heading",
    "\x1b[31mred",
    "# heading",
    "1. list",
    "- [x] done",
    "---",
    "trailing \\",
    "\\| escaped",
]


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("shown", [code, text])
def test_hostile_text_in_a_cell_opens_no_cell_tag_link_or_block(hostile, shown):
    html = GITHUB.render(table(("a", "b"), [(shown(hostile), "end")]))
    assert html.count("<td>") == 2
    assert "<td>end</td>" in html
    tags = {tag.split(">")[0] for tag in html.split("<")[1:]}
    assert {t.lstrip("/") for t in tags} <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_in_a_list_stays_one_item(hostile):
    html = GITHUB.render(bullets([text(hostile), "end"]))
    assert html.count("<li>") == 2
    assert not {"<h1>", "<ol>", "<hr />", "<a ", "<img "} & {
        html[i : i + 5] for i in range(len(html))
    }


@pytest.mark.parametrize(
    ("sentence", "markdown"),
    [
        ("ask @octocat or @org/team", "ask `@octocat` or `@org/team`"),
        ("see #123, GH-4 and a/b#5", "see `#123`, `GH-4` and `a/b#5`"),
        ("at https://x.example/a_b now", "at `https://x.example/a_b` now"),
        ("me@x.example", "`me@x.example`"),
        ("since 0123abcd4567", "since `0123abcd4567`"),
        ("1234567 of full/eager, 3.2 % in no_grad", "1234567 of full/eager, 3.2 % in no_grad"),
        ("|a - b|, x <= y * 2", "|a - b|, x \\<= y \\* 2"),
        ("2.13.0+cpu", "2.13.0+cpu"),
        ("run `tracelens diff *` now", "run `tracelens diff *` now"),
        ("one ` alone", "one `` ` `` alone"),
    ],
)  # fmt: skip
def test_what_github_would_link_is_code_and_marks_are_escaped(sentence, markdown):
    assert text(sentence) == markdown


def test_a_span_and_a_fence_outlast_the_backticks_inside():
    assert code("a`b``c") == "```a`b``c```"
    assert code("`") == "`` ` ``"
    assert fence("x = '```'\n", "python") == "````python\nx = '```'\n````"


def test_a_summary_holds_no_markup_and_its_name_is_code():
    assert details("kernels", "body", about="<b>& @me").splitlines() == [
        "<details>",
        "<summary>kernels · <code>&lt;b&gt;&amp; @me</code></summary>",
        "",
        "body",
        "",
        "</details>",
    ]


def test_a_number_is_not_parted_from_its_unit():
    assert table(("a", "b"), [("x y", "1.5 us")], right=(1,)).splitlines()[2] == (
        "| x y | 1.5\N{NO-BREAK SPACE}us |"
    )


def test_long_text_loses_its_middle():
    assert len(code("x" * 10_000)) == 402
