/** A topic and a durable client that do what a test says. */
import type { DrainInput } from '../../../shared/drain/drain-queue.ts';
import type { DrainClient } from '../../../shared/drain/drains.ts';
import type { Publish } from '../../../shared/wake/publish.ts';

/** An event that was published and not delivered yet; the time of a scheduled one never comes. */
export interface Published {
  type: string;
  queue: string;
  batch: string | undefined;
  scheduled: boolean;
}

/** Keeps what is published. */
export class Topic {
  broken = false;
  readonly events: Published[] = [];
  readonly publish: Publish = async ({ queue }, { type, batch }, options) => {
    if (this.broken) throw new Error('The topic does not answer.');
    this.events.push({ type, queue, batch, scheduled: options?.at !== undefined });
  };

  /** Takes the wakes that are due. */
  takeWakes(): Published[] {
    const wakes = this.events.filter(({ type, scheduled }) => type === 'QueueWorkDetected' && !scheduled);
    this.events.splice(0, this.events.length, ...this.events.filter((event) => !wakes.includes(event)));
    return wakes;
  }
}

/** Keeps what is started. */
export class Runtime {
  /** What fails: starts alone, or every call. */
  broken: 'startNew' | 'all' | undefined;
  /** Drains that were started and have not run yet. */
  readonly started: DrainInput[] = [];
  readonly statuses = new Map<string, string>();
  readonly purged: { from: Date; to: Date }[] = [];

  readonly client: DrainClient = {
    startNew: async (_name, { instanceId = '', input } = {}) => {
      this.#answer('startNew');
      this.started.push(input as DrainInput);
      this.statuses.set(instanceId, 'Running');
      return instanceId;
    },
    getStatus: async (instanceId) => {
      this.#answer('getStatus');
      const runtimeStatus = this.statuses.get(instanceId);
      if (runtimeStatus === undefined) throw new Error('The operation failed with an unexpected status: HTTP 404');
      return { runtimeStatus } as never;
    },
  };

  readonly purge = async (from: Date, to: Date): Promise<number> => {
    this.purged.push({ from, to });
    return 0;
  };

  #answer(call: 'startNew' | 'getStatus'): void {
    if (this.broken === 'all' || this.broken === call) throw new Error('The runtime does not answer.');
  }
}
