"""Beside the data: the only code that sees rows."""
