"""An anchored task shared out between two processes, as the harness shares it: its figures as JSON.

usage: two-ranks.py FOLDER TASK
"""

import json
import pickle
import sys

from lm_eval.tasks import TaskManager


def answers_of(folder, name, rank, world_size):
    task = TaskManager(include_path=folder, include_defaults=False).load([name])["tasks"][name]
    task.set_fewshot_seed(seed=1)
    task.build_all_requests(rank=rank, world_size=world_size)
    for instance in task.instances:
        instance.resps.append((-float((instance.doc_id + instance.idx) % 4), False))
    task.apply_filters()
    found = {}
    for doc_id, doc in task.doc_iterator(rank=rank, world_size=world_size):
        own = sorted((one for one in task.instances if one.doc_id == doc_id), key=lambda one: one.idx)
        for metric, value in task.process_results(doc, [one.filtered_resps["none"] for one in own]).items():
            found.setdefault(metric, []).append(value)
    return task, pickle.loads(pickle.dumps(found))


folder, name = sys.argv[1:]
task, whole = answers_of(folder, name, 0, 1)
_, first = answers_of(folder, name, 0, 2)
_, second = answers_of(folder, name, 1, 2)
gathered = {metric: second[metric] + first[metric] for metric in first}
figures = [{metric: task.aggregation()[metric](own[metric]) for metric in own} for own in (whole, gathered)]
print(json.dumps({"counts": [len(first["acc"]), len(second["acc"])], "whole": figures[0], "gathered": figures[1]}))
