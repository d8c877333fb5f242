"""The dynamic model of joints and bodies: the one implementation that is identified and run."""

from dynid.mechanism.closed_chain import ClosedChain, LoopClosure
from dynid.mechanism.joint_term import TERM_KINDS, JointTerm
from dynid.mechanism.mechanism import Mechanism

__all__ = ["TERM_KINDS", "ClosedChain", "JointTerm", "LoopClosure", "Mechanism"]
