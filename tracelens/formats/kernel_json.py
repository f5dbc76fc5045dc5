"""Decoded kernel names as strict JSON: a list, in the order asked."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.formats import strict_json
from tracelens.model.kernel_name import KernelName


def encode_kernel_names(kernels: Sequence[KernelName]) -> bytes:
    """Return `name`, `family`, `library`, `status` and `fields` of each, and its role and notes."""
    return strict_json.dump(
        [
            {
                "name": kernel.name,
                "family": kernel.family,
                "library": kernel.library,
                "role": kernel.role,
                "status": kernel.status,
                "fields": {
                    name: {"value": field.value, "status": field.status}
                    for name, field in kernel.fields.items()
                },
                "notes": list(kernel.notes),
            }
            for kernel in kernels
        ]
    )
