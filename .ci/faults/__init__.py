"""The faults of `.ci/faults.py`, by topic, and what they are tried with."""
