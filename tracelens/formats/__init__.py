"""What a machine reads back: traces in, report JSON and run folders in and out."""
