"""Audits of options that have names: no model, options are independent."""
