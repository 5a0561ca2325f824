"""The forms of the pages: what somebody typed, and what it means. Nothing here knows HTTP."""
