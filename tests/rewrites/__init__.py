"""Rewritings that change nothing in what a program does, and which findings survive them."""
