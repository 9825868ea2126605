/** Storage that loses the answer of one call after its effect: the app's retry policy then repeats the call. */
import { carryOut, type StorageCall, type StorageService } from 'functions-local';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { RETRY_LIMITS } from '../../../shared/storage/policies/retry-limits.ts';
import { startStorage } from '../in-process/storage.ts';
import { World } from '../in-process/world.ts';

/** The call that loses its answer: the first one of the service whose method and path, `METHOD path?query`, match. */
export type Lost = [service: StorageService, call: RegExp, body?: RegExp];

export class Lossy {
  world!: World;
  stop: () => Promise<void> = async () => undefined;
  #next: Lost | undefined;
  #calls: string[] = [];

  /** Loses the answer of the next such call. */
  lose(...lost: Lost): void {
    this.#next = lost;
    this.#calls = [];
  }

  /** Every test must show that the answer was really lost, and the call repeated. */
  assertLost(): void {
    expect(this.#next).toBeUndefined();
    expect(this.#calls.slice(1)).toContain(this.#calls[0]);
  }

  /** Returns whether the answer of this call must be lost; counts it and its repeats. */
  async takes({ service, method, path, body }: StorageCall): Promise<boolean> {
    const call = `${method} ${path}`;
    if (this.#calls.length > 0) {
      this.#calls.push(call);
      return false;
    }
    const [of, pattern, content] = this.#next ?? [];
    if (of !== service || !pattern?.test(call)) return false;
    if (content && !content.test((await body()).toString('latin1'))) return false;
    this.#next = undefined;
    this.#calls.push(call);
    return true;
  }
}

async function startLossy(lossy: Lossy): Promise<void> {
  const storage = await startStorage({
    client: {
      intercept: async (call, forward) =>
        (await lossy.takes(call)) ? carryOut({ kind: 'lostReply' }, call, forward) : forward(),
    },
    limits: { ...RETRY_LIMITS, firstDelayMs: 1 },
  });
  lossy.stop = storage.stop;
  lossy.world = new World(storage);
}

/** A lossy storage, and the whole pipeline on it, for the tests of one file. */
export function useLossy(): Lossy {
  const lossy = new Lossy();
  beforeAll(() => startLossy(lossy));
  beforeEach(() => lossy.world.reset());
  afterAll(() => lossy.stop());
  return lossy;
}
