from tracelens.measure.sampling.callers import with_callers


def op():
    yield 1


def generator():
    yield 2


def greenlet():
    pass


OP, GENERATOR, GREENLET = ((f.__code__, 4) for f in (op, generator, greenlet))
ELSEWHERE_IN_OP = (op.__code__, 8)


def test_a_stack_without_callers_is_put_below_those_that_are_found_above_it_most_often():
    whole = {(OP, GENERATOR): 5, (ELSEWHERE_IN_OP, GENERATOR): 2, (OP,): 9}

    found = with_callers(whole, {(GENERATOR,): 3})

    assert found == {(OP, GENERATOR): 8, (ELSEWHERE_IN_OP, GENERATOR): 2, (OP,): 9}


def test_what_is_never_found_below_anything_has_a_stack_of_its_own():
    found = with_callers({(OP,): 5}, {(GREENLET,): 3, (): 1})

    assert found == {(OP,): 5, (GREENLET,): 3, (): 1}
