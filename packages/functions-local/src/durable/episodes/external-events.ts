/** Called once, when an action of the replay is finished. */
export type Done = (succeeded: boolean) => void;

/**
 * The waits for external events and the buffered events of one execution. Names are compared without case, as in the
 * extension.
 */
export class ExternalEvents {
  readonly #waits = new Map<string, Done[]>();
  readonly #buffered = new Map<string, number>();

  /** Consumes a buffered event immediately. If there is none, waits. */
  wait(name: string | undefined, done: Done): void {
    const key = toKey(name);
    const buffered = this.#buffered.get(key) ?? 0;
    if (buffered === 0) {
      this.#waits.set(key, [...(this.#waits.get(key) ?? []), done]);
      return;
    }
    this.#buffered.set(key, buffered - 1);
    done(true);
  }

  /** Completes the newest wait (the waits form a stack). If there is none, buffers the event. */
  raise(name: string | undefined): void {
    const key = toKey(name);
    const done = this.#waits.get(key)?.pop();
    if (done) done(true);
    else this.#buffered.set(key, (this.#buffered.get(key) ?? 0) + 1);
  }
}

function toKey(name: string | undefined): string {
  return (name ?? '').toLowerCase();
}
