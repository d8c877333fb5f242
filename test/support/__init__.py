"""What several tests share: small robots, synthetic recordings, fake hardware."""
