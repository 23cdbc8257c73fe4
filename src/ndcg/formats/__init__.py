"""Reading and writing judgments and runs, one file a family of formats."""
