"""Vectors of `anchoreval embed` against the same encoder by other programs: the Rust tokenizers and Python's ONNX Runtime,
one text at a time, mean pooling. usage: embed-reference.py ENCODER_DIR ITEMS.jsonl EMBEDDINGS.jsonl MAX_TOKENS [EVERY]
Needs numpy, onnxruntime and tokenizers (written with 2.4.6, 1.32.0, 0.23.3)."""

import json
import os
import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

folder, items, embeddings, max_tokens = sys.argv[1:5]
every = int(sys.argv[5]) if len(sys.argv) > 5 else 13
tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(int(max_tokens))
session = onnxruntime.InferenceSession(os.path.join(folder, "onnx", "model.onnx"))
lines = [json.loads(line) for line in open(items, encoding="utf-8")]
vectors = [json.loads(line) for line in open(embeddings, encoding="utf-8")]
ours = np.array([own["embedding"] for own in vectors])
assert [own["item_id"] for own in vectors] == [line["item_id"] for line in lines], "other items"
worst = 0.0
for i in range(0, len(lines), every):
    tokens = np.array([tokenizer.encode(lines[i]["text"]).ids])
    feeds = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    wanted = {own.name for own in session.get_inputs()}
    hidden = session.run(["last_hidden_state"], {name: feeds[name] for name in wanted})[0][0].astype(float)
    vector = hidden.mean(axis=0)
    worst = max(worst, np.abs(vector / np.linalg.norm(vector) - ours[i]).max())
print(f"{len(range(0, len(lines), every))} of {len(lines)} texts, largest difference of a number {worst:.1e}")
