"""Python begins by importing this where PYTHONPATH names its folder.

lm_eval reads the 14 000 files of its own tasks at every start, which takes it seven seconds. Tests that bring their tasks,
by `include_path`, are spared them; without one, as in a test of tasks that aren't there, lm_eval is as it is.
"""

import importlib.abc
import importlib.machinery
import sys


class OwnTasks(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "lm_eval.tasks.manager":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def load_patched(module):
            load(module)
            init = module.TaskManager.__init__

            def without_defaults(manager, *given, **named):
                if named.get("include_path"):
                    named["include_defaults"] = False
                init(manager, *given, **named)

            module.TaskManager.__init__ = without_defaults

        spec.loader.exec_module = load_patched
        return spec


sys.meta_path.insert(0, OwnTasks())
