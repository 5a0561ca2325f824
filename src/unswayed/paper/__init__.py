"""Section 4 of the paper: its experiments, figures and claims, and what goes beyond them."""
