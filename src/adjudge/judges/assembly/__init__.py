"""What front matter declares and what the prompt says, joined into one judge."""
