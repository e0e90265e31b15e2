"""What iogate keeps on the controller, and how it reads files that come from elsewhere."""
