"""Audits of existing data. (The folder is not called `audit`: that is the function `unswayed.audit`.)"""
