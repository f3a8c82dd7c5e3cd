"""The targets of `polyir-opt --emit=...` and `-t ...`: a level of IR, or text.

Each brings the module to its level first, so that a target can be named after any pass.
`polyir.universe` lists them; what a target needs is imported when it is asked for.
"""
