"""What measurements support, and who could have changed it: the one judgement behind studies and audits."""
