"""How the server runs: what it logs, and how it ends."""
