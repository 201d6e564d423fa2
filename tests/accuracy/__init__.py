"""How accurate devlint is, by labels of people on code that it had never seen.

`python -m tests.accuracy draw FINDINGS` draws a sample of what

    devlint check --isolated --exit-zero --confidence low --output-format json . > FINDINGS

said in a folder of unpacked packages, those of `testdata/accuracy/packages.txt`, each in a folder
`PACKAGE-VERSION`. Two readers label it. `python -m tests.accuracy report` then writes
`docs/accuracy.md`.
"""
