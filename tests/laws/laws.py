"""All laws, in the order of the table."""

from . import (
    clean_calls,
    definition_order,
    log,
    one_tree,
    pickling,
    product,
    relevance,
    renaming,
    repeated_calls,
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
)
