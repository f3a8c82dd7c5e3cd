"""Reports of whole compilations, for people who want to understand one."""
