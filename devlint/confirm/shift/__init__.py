"""`pytest --devlint-shift`: calls that tests make on the CPU, run as if they were made on CUDA."""
