"""What the page on accuracy says between its tables, of one sample after another."""

from __future__ import annotations

from tests.accuracy.sample import (
    EIGHTEENTH,
    EIGHTH,
    ELEVENTH,
    FIFTEENTH,
    FIFTH,
    FOURTEENTH,
    FOURTH,
    NINETEENTH,
    NINTH,
    SECOND,
    SEVENTEENTH,
    SEVENTH,
    SIXTEENTH,
    SIXTH,
    TENTH,
    THIRD,
    THIRTEENTH,
    TWELFTH,
)

HEAD = """\
# Accuracy

How often devlint is right, and what it finds, on code that nobody had looked at while its rules
were written. This page is made by `python -m tests.accuracy report` from
[testdata/accuracy](../testdata/accuracy/packages.txt).

## Precision

{packages} releases and repositories that are in no other list of this project were chosen, and
the list and a seed committed, before a finding was read: {lines:,} lines, with {shown} findings
that are shown by default ({density:.2f} in a thousand lines) and {low} of low confidence. Of a
rule with more than 30 findings 30 were drawn, of the others all; then more, so that what is
presumed has 40 where there are so many. Two readers, language models that were given a brief and
the code and not devlint's, judged each finding alone; the lower verdict counts.

- **true**: it is as the message says, and has the consequence.
- **harmless**: it is as the message says, and nobody is hurt where this code runs.
- **false**: it is not.

The shares of all findings weigh each rule by how many findings it has, the intervals are Wilson's
at 95 %.

"""

AGAIN = """
### After what that showed was mended

Then {packages} other releases were chosen, in the same way: {lines:,} lines, with {shown} findings
that are shown by default ({density:.2f} in a thousand lines), of which at most 15 of one rule were
read in the same way.

"""

YET_OTHER = """
### On yet other code

Then {packages} further releases were chosen: {lines:,} lines, with {shown} findings that are shown
by default ({density:.2f} in a thousand lines), of which at most 45 of one rule, and 6 of one rule
in one package, were read, by one reader.

"""

RESEARCH = """
### In repositories of research and teaching

Then {packages} repositories were chosen: {lines:,} lines, with {shown} findings that are shown by
default ({density:.2f} in a thousand lines), of which at most 40 of one rule, and 6 of one rule in
one repository, were read by two readers; the lower verdict counts. What was false is the next
thing to be mended.

"""

OTHERS = """
### In other repositories, later

Then {packages} other repositories were chosen: {lines:,} lines, with {shown} findings that are
shown by default ({density:.2f} in a thousand lines), of which at most 40 of one rule were read in
the same way. What was false was mended afterwards.

"""

YET_OTHERS = """
### And in yet others

Then {packages} more were chosen: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), of which at most 20 of one rule were read in the same way. What
was false was mended afterwards.

"""

ONCE_MORE = """
### Once more, with what is presumed

Then {packages} more were chosen: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), of which at most 20 of one rule were read, and 20 of what rests
on one presumption, in the same way. Most of what was false is in two repositories: tests of a
fixture that is the CPU, and scripts without an accelerator. It was mended afterwards, but for a
few.

"""

WHOLE = """
### And whole projects

Then {packages} more were chosen, and each was looked at as a whole: {lines:,} lines, with {shown}
findings that are shown by default ({density:.2f} in a thousand lines), of which at most 30 of one
rule were read, and 10 of what rests on one presumption, in the same way. Most of the false errors
are in three projects: fixtures that take fixtures, a parameter that two objects share, and a
function that is annotated to give a text. They were mended afterwards.

"""

WHOLE_AGAIN = """
### Whole projects, again

Then {packages} more were chosen and looked at as the ones before: {lines:,} lines, with {shown}
findings that are shown by default ({density:.2f} in a thousand lines), read in the same way. One
repository of student code has two in five of them, and most of its errors are true. Of the false
errors four are of one test, behind the budget of calls. What was false was mended afterwards, but
for a few.

"""

WHOLE_ONCE_MORE = """
### Whole projects, once more

Then {packages} more, mostly repositories of papers that nobody maintains: {lines:,} lines, with
{shown} findings that are shown by default ({density:.2f} in a thousand lines), read in the same
way. The rule for tensors without a device was wrong most often, above all about buffers that are
made anew and used nowhere as they are. Many of the harmless ones are saved files that are loaded
with a mapping, and accelerators named by programs that run nowhere else. Half of what was false was
mended afterwards.

"""

AFTER_LOW = """
### After what is harmless as a rule got low confidence

Then {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. More than half of them are of two rules
about saved files, in programs of which many run on CUDA alone. Five of the seven false ones have
one cause, a batch that a program got by either of two calls. 16 of the literal accelerators stand
in one repository, behind `torch.cuda.set_device`. All but one of what was false, and those, were
mended afterwards.

"""

AFTER_MISLEADING = """
### After what programs written to mislead showed was mended

Then {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. Of the 22 false errors 21 have one of
four causes: the results of a model out of view that are copied to the CPU, in the tests of one
repository; a test of whether a module is there; the keys of a state dict; a flag of how many
accelerators there are. These were mended afterwards.

"""

AFTER_TWELFTH = """
### After what that one showed was mended

And {packages} more, found by four words that none of the others were: {lines:,} lines, with
{shown} findings that are shown by default ({density:.2f} in a thousand lines), read in the same
way. Of the 20 false errors ten are of one repository, where a flag of a module decides both what
is moved and what is told to move it, and four of another, which has a search that its options
never choose; three stand behind a call that lacks an argument. The first and the last of these
were mended afterwards, and what made eight warnings of modules that `__init__` lets another
method make.

"""

AFTER_THIRTEENTH = """
### After what that one showed was mended, in smaller repositories

And {packages} more, of a size that students and authors of papers have: {lines:,} lines, with
{shown} findings that are shown by default ({density:.2f} in a thousand lines), read in the same
way. 84 of them are of the rule about literal accelerators, of which 24 of the 30 that were read
stand in one repository that chooses a device and only prints it. Of the 16 false errors four are
of one class that no call chooses, three of a flag that an item of a dict keeps, three of what a
test settles of a model and not of its optimizer, two of an attribute that has just been set. 13
of them, and those of the literals, were mended afterwards.

"""

AFTER_FOURTEENTH = """
### After what two hundred bugs of strangers showed was mended

And {packages} more, large and small, many of them of the year in which they were chosen:
{lines:,} lines, with {shown} findings that are shown by default ({density:.2f} in a thousand
lines), read in the same way. Of the 34 false errors 14 are of the notebooks of one repository,
whose options for LightGBM name a `gpu`; four of a number that a configuration holds, which a
module keeps; four of a generator that tests hand to a sampler; three each of a device that is
chosen by where the input is, and of an argument that an object is made without. 30 of the 34 were
mended afterwards, and eleven of the 14 false warnings: four of a wrapper of models, four of what a
base moves that an object begins with.

"""

AFTER_FIFTEENTH = """
### After what a third hundred of such bugs showed was mended

And {packages} more, tools and teaching beside research: {lines:,} lines, with {shown} findings
that are shown by default ({density:.2f} in a thousand lines), read in the same way. Of the eight
false errors four are of one argument of a model whose code is downloaded when it runs, which only
takes it for a mask; two of a layer that is put into one of several blocks, which was taken to stay
behind; one each of what a prepared loader puts together by a function in view, and of a call that a
test makes where there is an accelerator. The latter four were mended afterwards, and all ten false
warnings: five of loads where a test has found an accelerator, four of a layer that is called like a
method of tensors, one of a size that is empty.

"""

AFTER_SIXTEENTH = """
### After what a fourth hundred of such bugs showed was mended

And {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. Half of the harmless errors are in one
file, whose classes take a device that the project always leaves at the CPU. Of the 11 false errors
four are of batches that a test moves which another one, far from it, makes needless; three of a
model that is only handed on where it was moved; one each of a dict that `to` moves under a test
with `!= None`, of a model that moves its input by itself, of an argument that is annotated as an
array, and of what a collate function out of view gives. Six of them were mended afterwards, and
five of the 12 false warnings: four of models of a class out of view that place themselves or were
moved, one of a buffer that is moved in the next line.

"""

AFTER_SEVENTEENTH = """
### After what a fifth hundred of such bugs showed was mended

And {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. Of the eight false errors four are of one
project's models, of which a function puts the first parts on an accelerator and leaves the call
before it comes to the others; two of what one arm of a test moves and another one makes; one each
of a size that a test takes for a tensor, and of a method of a model that `DataParallel` wraps.
Seven of them were mended afterwards, and six of the 13 false warnings: four of optimizers of a
model whose layers a test chooses, one each of a script module, and of options that an object keeps.

"""

AFTER_EIGHTEENTH = """
### After what that and a sixth hundred of such bugs showed was mended

And {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. Of the six false errors two are of a
number that NumPy makes of an array, one each of what a test of its type has told to be an image,
of the second line that one mistake would break, of layers that are moved where nobody in view sees
it, and of a batch that an option makes a list. Three of them were mended afterwards, and one of the
six false warnings, of layers of a dict that a list registers.

"""

SEEN = """
## What is not seen

What an imported function or class does is known where it belongs to the project, to PyTorch, or to
a library that devlint [models](../devlint/models/libraries.py). Devices that a configuration file
chooses are one device, whatever it says. Code in strings, C++ and CUDA is not read.
"""

#: The sections on the samples after the first.
LATER = (
    (AGAIN, SECOND),
    (YET_OTHER, THIRD),
    (RESEARCH, FOURTH),
    (OTHERS, FIFTH),
    (YET_OTHERS, SIXTH),
    (ONCE_MORE, SEVENTH),
    (WHOLE, EIGHTH),
    (WHOLE_AGAIN, NINTH),
    (WHOLE_ONCE_MORE, TENTH),
    (AFTER_LOW, ELEVENTH),
    (AFTER_MISLEADING, TWELFTH),
    (AFTER_TWELFTH, THIRTEENTH),
    (AFTER_THIRTEENTH, FOURTEENTH),
    (AFTER_FOURTEENTH, FIFTEENTH),
    (AFTER_FIFTEENTH, SIXTEENTH),
    (AFTER_SIXTEENTH, SEVENTEENTH),
    (AFTER_SEVENTEENTH, EIGHTEENTH),
    (AFTER_EIGHTEENTH, NINETEENTH),
)
