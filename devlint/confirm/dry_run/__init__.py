"""`devlint run`: a program of the user on emulated CUDA."""
