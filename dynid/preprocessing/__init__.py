"""From a recording to filtered signals of the joints."""
