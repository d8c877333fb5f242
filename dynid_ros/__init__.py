"""ROS 2 nodes of dynid, one per file: parameters, topics and services around calls of dynid."""
