"""Results as text: tables, JSON, trec_eval's lines."""
