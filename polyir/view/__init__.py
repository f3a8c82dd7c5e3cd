"""Pictures of a scop: instances, dependences, tiles, order; graphs of dependences and trees."""
