"""The measures as values: ``nDCG @ 10``, ``P(rel=2) @ 5``, ``AP``."""

from ndcg.measures.grammar import parse_measure, parse_measures
from ndcg.measures.values import Measure

__all__ = [
    "AP",
    "CG",
    "DCG",
    "ERR",
    "RBP",
    "RR",
    "Bpref",
    "Judged",
    "Measure",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "Rprec",
    "Success",
    "infAP",
    "nDCG",
    "parse_measure",
    "parse_measures",
]

nDCG = Measure("nDCG")
DCG = Measure("DCG")
CG = Measure("CG")
P = Measure("P")
R = Measure("R")
AP = Measure("AP")
RR = Measure("RR")
Success = Measure("Success")
Rprec = Measure("Rprec")
ERR = Measure("ERR")
RBP = Measure("RBP")
Bpref = Measure("Bpref")
infAP = Measure("infAP")  # noqa: N816 - the name that the field knows
Judged = Measure("Judged")
NumRet = Measure("NumRet")
NumRel = Measure("NumRel")
NumRelRet = Measure("NumRelRet")
