"""Reductions with fewer operations, by degree: the algorithm of Gautam and Rajopadhye."""
