"""Files that leave the program: model.yaml, identified URDF, signals.mcap."""
