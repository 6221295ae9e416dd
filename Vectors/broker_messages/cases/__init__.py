"""The cases, one module for each theme."""
