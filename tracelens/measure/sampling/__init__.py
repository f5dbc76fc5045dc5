"""Where a thread is, at random instants: stacks read by another process, or by a signal."""
