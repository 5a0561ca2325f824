"""Ask and tell over a journal: what people work with."""
