"""Code objects by their addresses, found without trusting an address.

What was a code object when a sample was taken may be freed by now, and its memory in other use: to
take it for an object all the same can end the process. So those that live are looked up instead.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import CodeType
from weakref import ReferenceType


def live_codes(addresses: Collection[int]) -> dict[int, CodeType]:
    """Return the code objects that live at these addresses; nothing for one at which none does.

    Found are those that an object of the garbage collector refers to, as functions do, and those
    inside other code. torch.compile keeps a weak reference to the code that it makes.
    """
    wanted = frozenset(addresses)
    found: dict[int, CodeType] = {}
    with _all_tracked():
        waiting = list(_referred())
    while waiting and len(found) < len(wanted):
        code = waiting.pop()
        if id(code) in wanted:
            found[id(code)] = code
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def _referred() -> Iterator[CodeType]:
    known = gc.get_objects()
    yield from {id(o): o for o in gc.get_referents(*known) if type(o) is CodeType}.values()
    for each in known:
        if type(each) is ReferenceType and type(code := each()) is CodeType:
            yield code


@contextmanager
def _all_tracked() -> Iterator[None]:
    """Show what was hidden from the collector by `gc.freeze` too, for as long as it is looked at.

    No collection may come in between.
    """
    frozen, collecting = gc.get_freeze_count() > 0, gc.isenabled()
    gc.disable()
    if frozen:
        gc.unfreeze()
    try:
        yield
    finally:
        if frozen:
            gc.freeze()
        if collecting:
            gc.enable()
