/** A topic and a durable client whose behavior a test controls. */
import type { ServiceBusMessage, ServiceBusSender } from '@azure/service-bus';
import type { QueueEvent } from '../../../shared/contract/events.ts';
import type { DrainInput } from '../../../shared/drain/drain-queue.ts';
import type { DrainClient } from '../../../shared/drain/drains.ts';
import type { PurgeClient } from '../../../shared/sweep/purge-drains.ts';

/** A published event that was not delivered yet; the time of a scheduled one never comes. */
export interface Published extends QueueEvent {
  scheduled: boolean;
  messageId: string;
}

/** Records the sent messages. */
export class Topic implements Pick<ServiceBusSender, 'sendMessages'> {
  broken = false;
  readonly events: Published[] = [];

  async sendMessages(message: unknown): Promise<void> {
    if (this.broken) throw new Error('The topic does not answer.');
    const { body, messageId, scheduledEnqueueTimeUtc } = message as ServiceBusMessage & { messageId: string };
    this.events.push({ ...(body as QueueEvent), messageId, scheduled: scheduledEnqueueTimeUtc !== undefined });
  }

  /** Removes and returns the due wakes. */
  takeWakes(): Published[] {
    const wakes = this.events.filter(({ type, scheduled }) => type === 'QueueWorkDetected' && !scheduled);
    this.events.splice(0, this.events.length, ...this.events.filter((event) => !wakes.includes(event)));
    return wakes;
  }
}

/** Records the started orchestrations. */
export class Runtime {
  /** Which calls fail: only starts, or all. */
  broken: 'startNew' | 'all' | undefined;
  /** Drains that were started and have not run yet. */
  readonly started: DrainInput[] = [];
  readonly statuses = new Map<string, string>();
  readonly purged: { from: Date; to: Date }[] = [];

  readonly client: DrainClient & PurgeClient = {
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
    purgeInstanceHistoryBy: async ({ createdTimeFrom: from, createdTimeTo: to }) => {
      this.purged.push({ from, to } as { from: Date; to: Date });
      return { instancesDeleted: 0 } as never;
    },
  };

  #answer(call: 'startNew' | 'getStatus'): void {
    if (this.broken === 'all' || this.broken === call) throw new Error('The runtime does not answer.');
  }
}
