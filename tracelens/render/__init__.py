"""Report in, what a person reads out."""
