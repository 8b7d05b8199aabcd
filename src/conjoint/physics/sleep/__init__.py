"""Trees that sleep: what wakes them, when they fall asleep, and stages that leave them out."""
