"""What was never judged: how much, what it could change, and what to judge next."""
