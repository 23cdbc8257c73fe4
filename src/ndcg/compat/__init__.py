"""Other programs' interfaces: change an import, keep the program, get the same digits."""
