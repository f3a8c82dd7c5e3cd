"""Integer sets and relations: what polyir needs around isl."""
