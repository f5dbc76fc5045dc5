"""Trees as rows of a table."""

from tracelens.analyze.tree import Branch, branches
from tracelens.model.trace import MISSING


def test_parents_stand_above_their_children_and_the_largest_child_first():
    #         0        1  2  3        4
    parents = [MISSING, 0, 0, MISSING, 2]
    selves = [5, 10, 0, 40, 20]
    assert list(branches(parents, selves)) == [
        Branch(node=3, depth=0, parent=None, total=40),
        Branch(node=0, depth=0, parent=None, total=35),
        Branch(node=2, depth=1, parent=1, total=20),
        Branch(node=4, depth=2, parent=2, total=20),
        Branch(node=1, depth=1, parent=1, total=10),
    ]


def test_a_node_that_holds_nothing_is_no_row_and_of_equals_the_first_comes_first():
    assert [b.node for b in branches([MISSING, MISSING, MISSING, 2], [7, 7, 0, 0])] == [0, 1]
