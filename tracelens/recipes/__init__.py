"""The recipes: the steps of a command, in order, through the rooms."""
