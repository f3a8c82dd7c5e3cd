"""The proofs: all that polyir checks before it believes that code is right.

docs/trust.md says what each module here shows, and what is believed without proof. The modules
import the schedule tree, the scop and the sets, and nothing else of polyir.
"""
