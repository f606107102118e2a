"""Scores rankings with ir_measures: for each line of standard input (gold and contexts as names of documents) prints one line with its scores."""

import json
import sys

import ir_measures
from ir_measures import AP, RR, Bpref, P, R, Rprec, Success, nDCG

MEASURES = {
    "average_precision": AP @ 10,
    "precision_at_5": P @ 5,
    "r_precision": Rprec,
    "recall_at_5": R @ 5,
    "ndcg_at_10": nDCG @ 10,
    "mrr_at_10": RR @ 10,
    "hit_at_5": Success @ 5,
    "bpref": Bpref,
}

for line in sys.stdin:
    case = json.loads(line)
    qrels = {"q": {document: 1 for document in case["gold"]}}
    run = {"q": {document: float(-rank) for rank, document in enumerate(case["contexts"])}}
    found = ir_measures.calc_aggregate(list(MEASURES.values()), qrels, run)
    print(json.dumps({name: found[measure] for name, measure in MEASURES.items()}))
