"""What a robot carries: found with the model of the robot without it held fixed."""
