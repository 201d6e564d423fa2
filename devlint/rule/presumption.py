"""Presumptions: what a finding takes for granted that the program does not prove."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from devlint.finding import CONFIDENCES, Confidence


class Grounds(NamedTuple):
    """How far a presumption carries a finding that rests on nothing else, and what it says."""

    confidence: Confidence
    claim: str


class Presumption(Enum):
    """The claims read on after "presumed that"."""

    PLAIN_MODEL = Grounds(
        "medium", "a model of a class out of view moves neither itself nor what it is given"
    )
    ACCELERATED_CALLER = Grounds(
        "low", "what calls this function hands it values on an accelerator"
    )
    ANOTHER_DEVICE = Grounds("low", "its callers ask for another device than it takes by itself")
    ANY_DEVICE = Grounds(
        "low", "code that asks for the devices of its values is meant to run on accelerators"
    )
    UNAWARE_CODE = Grounds(
        "low", "code of a file without a word of devices is run on accelerators, too"
    )
    SEVERAL_ACCELERATORS = Grounds(
        "medium", "values may be on another accelerator than the current one"
    )
    SECOND_ACCELERATOR = Grounds(
        "low", "a program that names no accelerator by its number is run where there are several"
    )
    MOVED_MODULE = Grounds("medium", "its user moves a module to wherever it is to run")
    SELF_MOVING = Grounds(
        "medium", "an object that moves some of what it holds moves all of it by itself"
    )
    MOVED_AGAIN = Grounds(
        "low", "a module is moved later, away from the device that it was made for"
    )
    GIVEN_MODEL = Grounds("medium", "a model that code is given or holds may be on an accelerator")
    UNMOVED_MODEL = Grounds("medium", "a model that code moves to a device was on the CPU before")
    LOADED_STATE = Grounds("medium", "a state that an object is given was loaded onto the CPU")
    OPTIONAL_ACCELERATOR = Grounds(
        "medium", "code that asks whether there is an accelerator runs where there is none, too"
    )
    NCCL = Grounds("low", "processes talk to one another over NCCL alone")
    CHOSEN_DEVICE = Grounds(
        "medium", "the device that is chosen need not be the one that is named beside it"
    )
    PUBLISHED = Grounds("low", "what is published was saved from an accelerator")
    OTHER_READERS = Grounds("low", "others than the project load what it saves")
    TEST_CODE = Grounds("low", "tests, too, are meant to run on any device")
    PORTABLE = Grounds("low", "the program is meant for other accelerators than the one it names")

    @property
    def key(self) -> str:
        """What reports call it."""
        return self.name.lower().replace("_", "-")

    @property
    def confidence(self) -> Confidence:
        return self.value.confidence

    @property
    def claim(self) -> str:
        return self.value.claim


def confidence(presumed: Iterable[Presumption]) -> Confidence:
    """That of a finding which rests on presumptions: of several none is above low."""
    grounds = [each.confidence for each in presumed]
    if len(grounds) > 1:
        return CONFIDENCES[-1]
    return grounds[0] if grounds else CONFIDENCES[0]
