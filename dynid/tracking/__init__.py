"""How much better a robot follows its commands with the identified model's torque."""
