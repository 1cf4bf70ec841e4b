"""Without data: from public plans and messages to results."""
