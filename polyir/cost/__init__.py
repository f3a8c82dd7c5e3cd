"""What a schedule costs on a machine, and the tile sizes that cost least."""
