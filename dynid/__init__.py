"""dynid: from a recording of a robot to a dynamic model that can be trusted and run."""
