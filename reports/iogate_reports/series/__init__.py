"""Long series as a page carries them: packed, and in levels to zoom into."""
