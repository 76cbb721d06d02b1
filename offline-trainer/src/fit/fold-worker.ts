import { threadBackend } from "../backends/resolve-backend.ts";
import { askingBackend } from "../calibrate/asked-device.ts";
import { receivedMethod } from "../methods/method.ts";
import { answerInputs, threadData } from "../threads/run-on-threads.ts";
import { computeFold, type Fold, type FoldNote, type FoldThreadData } from "./folds.ts";
import type { HeldOutTable } from "./held-out.ts";
import { receivedObservers } from "./observer.ts";

/** A thread of the cross-validation. */
const { plan, provider, device } = threadData() as FoldThreadData;
const method = receivedMethod(plan.method);
const observers = receivedObservers(plan.observers);
answerInputs(async (fold: Fold, onNote: (note: FoldNote) => void, ask): Promise<HeldOutTable> =>
  computeFold(
    { ...plan, method: await method, observers: await observers },
    fold,
    device ? askingBackend(device, ask) : await threadBackend(provider),
    onNote,
  ),
);
