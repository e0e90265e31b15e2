"""How long reports take to make, how large they are, and how soon a browser shows them."""
