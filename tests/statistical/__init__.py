"""Suites that draw many data sets: validity, power, speed."""
