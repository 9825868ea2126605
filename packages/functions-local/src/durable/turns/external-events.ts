/** Called once, when an action of the mirror is over. */
export type Done = (succeeded: boolean) => void;

/** Waits for and buffers of external events in one generation; names are compared without case, as the extension does. */
export class ExternalEvents {
  readonly #waits = new Map<string, Done[]>();
  readonly #buffered = new Map<string, number>();

  /** Takes a buffered event at once, else waits. */
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

  /** Serves the newest wait (they form a stack), else buffers. */
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
