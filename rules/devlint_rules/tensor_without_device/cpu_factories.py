"""What makes tensors on the CPU."""

from __future__ import annotations

from devlint.api import Factory, Sample, Value


def factory(value: Value | None) -> Factory | None:
    """What has made a tensor on the CPU, where it is for certain."""
    if value is None or not value.device.is_cpu or value.tag(Sample) is not None:
        return None
    return value.source if isinstance(value.source, Factory) else None
