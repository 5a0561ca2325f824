"""The audit of votes between two options: who leads, and how few false votes decide it."""
