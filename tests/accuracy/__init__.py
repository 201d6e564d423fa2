"""How accurate devlint is, by labels of people on code that it had never seen.

`python -m tests.accuracy draw FINDINGS LINES` draws a sample of what

    devlint check --isolated --exit-zero --confidence low --output-format json . > FINDINGS

said of so many lines in a folder of unpacked packages, those of `testdata/accuracy/packages.txt`,
each in a folder `PACKAGE-VERSION` or `OWNER+NAME`. What has been read keeps its verdicts. Two
readers label the rest. `python -m tests.accuracy report` then writes `docs/accuracy.md`.

`python -m tests.accuracy scanned RESULTS` takes all errors of a scan of the wheels that
`testdata/accuracy/wheels/packages.txt` lists, for one reader; `docs/scan.md` tells what they are.
"""
