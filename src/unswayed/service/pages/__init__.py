"""The pages of the shared study, as pure functions: from a study to HTML. Nothing here knows HTTP."""
