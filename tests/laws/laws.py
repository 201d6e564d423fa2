"""All laws, in the order of the table."""

from . import (
    alone,
    clean_calls,
    definition_order,
    fixing,
    log,
    one_tree,
    pickling,
    product,
    relevance,
    renaming,
    repeated_calls,
    runs,
    silencing,
    unreachable,
)

LAWS = (
    renaming.LAW,
    clean_calls.LAW,
    repeated_calls.LAW,
    definition_order.LAW,
    product.LAW,
    log.LAW,
    pickling.LAW,
    one_tree.LAW,
    relevance.LAW,
    unreachable.LAW,
    fixing.LAW,
    silencing.LAW,
    alone.LAW,
    runs.LAW,
)
