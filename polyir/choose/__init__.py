"""Choices: machines, what a schedule costs on them, and the tiles and nests that cost least."""
