"""Who is told when the verdict of a study changes: what is noticed, and how it is sent."""
