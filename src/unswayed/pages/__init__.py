"""Pages of HTML: what all of them share, whoever makes them."""
