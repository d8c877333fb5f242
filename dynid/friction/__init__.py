"""Which friction model suits each joint: candidates, their shapes, and the choice among them."""
