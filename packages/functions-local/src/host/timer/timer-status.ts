import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../settings/json.ts';
import type { Schedule } from './schedule.ts';

/** The last run and the next occurrence of a timer, in milliseconds since 1970. */
export interface TimerStatus {
  /** Undefined if it never ran. */
  lastMs?: number;
  nextMs: number;
  lastUpdatedMs: number;
}

/** What a timer does at the start of its host. */
export interface TimerStart {
  status: TimerStatus;
  runNow?: 'IsPastDue' | 'RunOnStartup';
}

/** Decides how a timer continues after a pause of the host. `stored` is absent if no status was stored. */
export function planStart(
  schedule: Schedule,
  stored: TimerStatus | undefined,
  { nowMs, runOnStartup }: { nowMs: number; runOnStartup: boolean },
): TimerStart {
  const atStartup = runOnStartup ? { runNow: 'RunOnStartup' as const } : {};
  if (!stored) return { status: { nextMs: schedule.next(nowMs), lastUpdatedMs: nowMs }, ...atStartup };
  const expected = schedule.next(stored.lastMs ?? stored.lastUpdatedMs);
  if (expected !== stored.nextMs) {
    // The schedule itself has changed. Missed occurrences of the old one are not run.
    const nextMs = expected > nowMs ? expected : schedule.next(nowMs);
    return { status: { ...stored, nextMs, lastUpdatedMs: nowMs }, ...atStartup };
  }
  if (nowMs > stored.nextMs) return { status: stored, runNow: 'IsPastDue' };
  return { status: stored, ...atStartup };
}

/** Returns the status after a run that began at `startedMs`. A run that began slightly early counts as on time. */
export function afterRun(
  schedule: Schedule,
  previous: TimerStatus,
  startedMs: number,
  scheduled: boolean,
): TimerStatus {
  const lastMs = scheduled && startedMs < previous.nextMs ? previous.nextMs : startedMs;
  return { lastMs, nextMs: schedule.next(lastMs), lastUpdatedMs: lastMs };
}

/** Stores timer statuses in files of a folder, one per function. */
export function createTimerStore(folder: string): {
  read(functionName: string): TimerStatus | undefined;
  write(functionName: string, status: TimerStatus): void;
} {
  const fileOf = (name: string) => join(folder, `${name.toLowerCase()}.json`);
  return {
    read: (name) => parseStatus(readText(fileOf(name))),
    write: (name, status) => {
      const file = fileOf(name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(status));
      renameSync(`${file}.new`, file);
    },
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parseStatus(text: string | undefined): TimerStatus | undefined {
  if (text === undefined) return undefined;
  const json: unknown = JSON.parse(text);
  if (!isRecord(json) || typeof json.nextMs !== 'number' || typeof json.lastUpdatedMs !== 'number') return undefined;
  const { lastMs, nextMs, lastUpdatedMs } = json;
  return { nextMs, lastUpdatedMs, ...(typeof lastMs === 'number' ? { lastMs } : {}) };
}
