"""The nouns: facts with no unit conversion, no device and no file."""
