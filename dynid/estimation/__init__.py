"""From signals to parameters: base parameters, estimators, physical consistency."""
