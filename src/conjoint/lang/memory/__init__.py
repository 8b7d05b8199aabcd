"""Layout of fields in memory, and realizations of a real number."""
