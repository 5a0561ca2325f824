"""What a gauntlet shows: the page, the table in Markdown, and the scoreboard of the terminal."""
