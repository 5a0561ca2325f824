"""Any program as an objective: run it, limit its time, read its measurement."""
