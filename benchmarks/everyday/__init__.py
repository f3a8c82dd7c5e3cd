"""Everyday loop nests at random, and how good the choice of `optimize` is on them.

- `nests`: what a nest is: C text, sizes, and the arguments of a call.
- `kinds`: random nests of each kind, as people write them.
- `measure`: compiles versions of a nest and times them in turns.
- `__main__`: `make bench-model`.
"""
