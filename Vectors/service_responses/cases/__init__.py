"""The cases, one module for each kind of body."""
