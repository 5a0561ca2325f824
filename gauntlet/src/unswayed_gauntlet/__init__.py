"""Optimisers with few plays, honest and attacked: problems, corruptions, optimisers, matches and their tables."""
