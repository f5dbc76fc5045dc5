"""How the tests of the families look at a reading: plain values, the whole of them."""

from tracelens.analyze.names import decode


def fields_of(name):
    return {name: field.value for name, field in decode(name).fields.items()}


def kind_of(name):
    read = decode(name)
    return (read.family, read.library, read.role, read.status)
