"""Any program as an objective."""
