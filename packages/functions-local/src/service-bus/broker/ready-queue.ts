import type { StoredMessage } from './stored-message.ts';

/**
 * The available messages of a queue, lowest sequence number first. It is a binary heap, since an abandoned message returns to
 * its position. Messages that were removed from the queue in the meantime are dropped when they reach the top.
 */
export class ReadyQueue {
  readonly #heap: StoredMessage[] = [];

  /** Adds a message. */
  push(message: StoredMessage): void {
    const heap = this.#heap;
    let at = heap.push(message) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.sequence <= message.sequence) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = message;
  }

  /** Returns the first available message without removing it. */
  peek(): StoredMessage | undefined {
    while (this.#heap[0] && this.#heap[0].state !== 'ready') this.#removeFirst();
    return this.#heap[0];
  }

  /** Removes and returns the first available message. */
  take(): StoredMessage | undefined {
    const first = this.peek();
    if (first) this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
  }

  #sink(message: StoredMessage): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = this.#lower(left, left + 1);
      const lower = heap[child];
      if (!lower || lower.sequence >= message.sequence) break;
      heap[at] = lower;
      at = child;
    }
    heap[at] = message;
  }

  #lower(left: number, right: number): number {
    const first = this.#heap[left];
    const second = this.#heap[right];
    return first && second && second.sequence < first.sequence ? right : left;
  }
}
