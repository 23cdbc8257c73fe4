"""``python -m ndcg``: the same command where the script is not on the PATH."""

from ndcg.cli import main

if __name__ == "__main__":
    main(prog_name="ndcg")
