import type { Core } from '../core.ts';
import type { HistoryEvent } from '../history/history.ts';
import { toHistoryEvents } from '../history/history-view.ts';
import type { Instance } from '../store/instances.ts';

/** Selects the optional parts of a status answer. */
export interface StatusFlags {
  showInput: boolean;
  showHistory: boolean;
  showHistoryOutput: boolean;
}

/** Builds the body of a status answer. If absent, input, customStatus and output are null, never missing. */
export function toStatusBody(core: Core, instance: Instance, flags: StatusFlags): Record<string, unknown> {
  return {
    name: instance.name,
    version: instance.version,
    instanceId: instance.id,
    runtimeStatus: instance.status,
    input: flags.showInput ? parse(instance.input) : null,
    customStatus: parse(instance.customStatus),
    output: parse(instance.output),
    createdTime: toWholeSeconds(instance.createdAt),
    lastUpdatedTime: toWholeSeconds(instance.updatedAt),
    ...(flags.showHistory ? { historyEvents: readHistory(core, instance.id, flags.showHistoryOutput) } : {}),
  };
}

function readHistory(core: Core, id: string, showOutput: boolean): Record<string, unknown>[] {
  const events = core.history.texts(id).map((text) => JSON.parse(text) as HistoryEvent);
  return toHistoryEvents(events, showOutput);
}

function parse(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function toWholeSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
