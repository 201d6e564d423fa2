"""Programs with one device bug each, written for this by people who had not seen devlint.

Each page of testdata/written has the files of a program, with the change that mends it, and the
lines that lead to what raises on emulated CUDA. `python -m tests.written` says which are found.
"""
