"""The cases, one module for each theme. Each has `add(suite)`."""
