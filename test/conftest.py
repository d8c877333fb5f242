"""What every test shares: hypothesis without a clock, because machines differ."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dynid", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("dynid")
