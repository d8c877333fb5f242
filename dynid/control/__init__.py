"""The identified model at work: additive torque and collision detection."""
