"""What tampering can do to a posterior: threats, influence, certificates, counts of lies."""
