"""The dynamic model of a tree of joints: the one implementation that is identified and run."""

from dynid.mechanism.joint_term import TERM_KINDS, JointTerm
from dynid.mechanism.mechanism import Mechanism

__all__ = ["TERM_KINDS", "JointTerm", "Mechanism"]
