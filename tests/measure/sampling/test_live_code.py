import gc
from weakref import ref

from tracelens.measure.sampling.live_code import live_codes


def made(name):
    """Return code that nothing but the one who asks for it refers to."""
    return compile(f"def {name}(): pass", "<made>", "exec").co_consts[0]


def outer():
    def inner():
        pass

    return inner


def test_the_code_of_functions_and_of_those_inside_them_is_found():
    inner = outer.__code__.co_consts[1]

    found = live_codes({id(outer.__code__), id(inner)})

    assert found == {id(outer.__code__): outer.__code__, id(inner): inner}


def test_code_that_a_weak_reference_leads_to_is_found():
    kept = [made("only_seen"), None]
    kept[1] = ref(kept[0])
    gc.collect()

    assert live_codes({id(kept[0])}) == {id(kept[0]): kept[0]}


def test_an_address_at_which_no_code_lives_has_none():
    code = made("gone")
    address = id(code)
    del code

    assert live_codes({address, 8, id(outer)}) == {}


def test_what_was_frozen_is_found_and_frozen_again():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()

        found = live_codes({id(outer.__code__)})

        assert list(found.values()) == [outer.__code__]
        assert gc.get_freeze_count() >= frozen
        assert gc.isenabled()
    finally:
        gc.unfreeze()
