"""Benchmarks with a command of their own: ``python -m bench``. Each module has ``run(options) -> dict``."""
