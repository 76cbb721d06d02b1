"""Tasks of lm-evaluation-harness for the bundles that come along, in their default forms, as `export` writes them.

lm_eval --model hf --model_args pretrained=MODEL --tasks gsm8k_anchored --include_path "$(python -m anchoreval.tasks)"
"""
