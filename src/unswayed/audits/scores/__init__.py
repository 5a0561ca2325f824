"""The audit of scores on items: who leads, and how few false scores, or which items, decide it."""
