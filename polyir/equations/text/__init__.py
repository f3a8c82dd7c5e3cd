"""The text of systems of equations: read in all spellings, printed in two forms."""

from polyir.equations.text.printer import Form, expression_text, program_text, system_text
from polyir.equations.text.reader import read_program

__all__ = ["Form", "expression_text", "program_text", "read_program", "system_text"]
