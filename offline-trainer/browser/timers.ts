// What `node:timers/promises` is to the trainer in Node: the build puts this file in its place.

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()!();

/** Lets the event loop turn: a message does so at once, a timer of a browser only after some milliseconds. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}

/** @param delay - @unit milliseconds */
export function setTimeout(delay: number): Promise<void> {
  return new Promise((resolve) => globalThis.setTimeout(resolve, delay));
}
