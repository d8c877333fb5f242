"""External wrenches and the link in contact, from the external torque of the momentum observer.

Its uncertainty comes from free motion. The estimators are in C++ (dynid/contact_estimator.hpp).
"""
