"""Findings after they are made: suppressions, baselines, changed lines, fingerprints."""
