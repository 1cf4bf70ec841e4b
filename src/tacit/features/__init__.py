"""Feature maps: the recipe that a plan holds, its radius and gauge, and the evaluation, side by side."""
