"""The mathematics: pure functions of numbers and arrays; beside each file its proof, NAME.md."""
