"""Asking a retriever: queries in, what it answered out as a run, what failed counted."""
