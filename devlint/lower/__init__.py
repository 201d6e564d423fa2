"""Source code lowered to one representation, by either of two front ends."""
