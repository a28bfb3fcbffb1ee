"""Recordings -> what was said, in paragraphs with their times."""
