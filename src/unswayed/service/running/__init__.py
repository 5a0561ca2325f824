"""How the server runs: what it logs, what it tidies, and how it ends."""
