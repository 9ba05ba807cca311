"""Where answers are lost between the bank and the answer: paired tests, attribution, decomposition."""
