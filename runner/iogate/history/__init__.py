"""What earlier runs tell the one at hand: baselines, noise, plans, trends, and what is kept."""
