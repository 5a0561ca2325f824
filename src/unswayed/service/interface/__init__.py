"""What the routes take and give: one description, by which requests are checked and the interface is published."""
