import { parseTimeSpan } from '../time-span.ts';
import { HUB_NAME_RULE, isHubName } from './hub-name.ts';

const matchStrategies = ['None', 'Strict', 'CurrentOrOlder'] as const;
const failureStrategies = ['Reject', 'Fail'] as const;
const overridableStates = ['NonRunningStates', 'AnyState'] as const;

/** The visibility timeouts that Azure Storage allows for a queue message (Get Messages, `visibilitytimeout`). */
const minVisibilityMs = 1_000;
const maxVisibilityMs = 7 * 24 * 60 * 60_000;

/** Decides which instance versions an app runs. */
export type VersionMatchStrategy = (typeof matchStrategies)[number];

/** The part of host.json's `extensions.durableTask` that this backend applies. */
export interface DurableConfig {
  hubName: string;
  connectionName: string;
  maxConcurrentActivities: number;
  maxConcurrentOrchestrators: number;
  defaultVersion: string;
  versionMatchStrategy: VersionMatchStrategy;
  versionFailureStrategy: (typeof failureStrategies)[number];
  overridableExistingInstanceStates: (typeof overridableStates)[number];
  maxPollingIntervalMs: number;
  activityVisibilityTimeoutMs: number;
  orchestratorVisibilityTimeoutMs: number;
}

/** Reads and checks the settings, with Azure's defaults. Throws one error that lists all problems. */
export function readDurableConfig(config: Record<string, unknown>, cores: number): Readonly<DurableConfig> {
  const { result, problems } = readAll(config, cores);
  if (problems.length > 0) throw new Error(`host.json, extensions.durableTask: ${problems.join('; ')}`);
  return Object.freeze(result);
}

/** The keys that have no effect on this backend, such as `tracing` or `storageProvider.partitionCount`. */
export function findUnreadDurableKeys(config: Record<string, unknown>): string[] {
  return readAll(config, 1).unread;
}

interface Reading {
  result: DurableConfig;
  problems: string[];
  unread: string[];
}

function readAll(config: Record<string, unknown>, cores: number): Reading {
  const problems: string[] = [];
  const main = reader(config, '', problems);
  const provider = reader(main.section('storageProvider'), 'storageProvider.', problems);
  const result: DurableConfig = {
    hubName: main.hubName('hubName', 'TestHubName'),
    connectionName: provider.text('connectionName', 'AzureWebJobsStorage'),
    maxConcurrentActivities: main.count('maxConcurrentActivityFunctions', 10 * cores),
    maxConcurrentOrchestrators: main.count('maxConcurrentOrchestratorFunctions', 10 * cores),
    defaultVersion: main.text('defaultVersion', ''),
    versionMatchStrategy: main.oneOf('versionMatchStrategy', matchStrategies, 'CurrentOrOlder'),
    versionFailureStrategy: main.oneOf('versionFailureStrategy', failureStrategies, 'Reject'),
    overridableExistingInstanceStates: main.oneOf(
      'overridableExistingInstanceStates',
      overridableStates,
      'NonRunningStates',
    ),
    maxPollingIntervalMs: provider.positiveTimeSpan('maxQueuePollingInterval', 30_000),
    activityVisibilityTimeoutMs: provider.visibilityTimeout('workItemQueueVisibilityTimeout', 5 * 60_000),
    orchestratorVisibilityTimeoutMs: provider.visibilityTimeout('controlQueueVisibilityTimeout', 5 * 60_000),
  };
  provider.expectOnly('type', 'AzureStorage');
  const unread = [...main.unread(), ...provider.unread()];
  // Checked because Azure refuses other values. It has no effect: one queue replaces all partitions.
  provider.partitions('partitionCount', 4);
  return { result, problems, unread };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function reader(section: Record<string, unknown>, prefix: string, problems: string[]) {
  // Names are compared without case, as in all of host.json.
  const values = new Map(Object.entries(section).map(([name, value]) => [name.toLowerCase(), value]));
  const known = new Set<string>();
  function take(name: string): unknown {
    known.add(name.toLowerCase());
    return values.get(name.toLowerCase());
  }
  function read<T>(name: string, fallback: T, expected: string, convert: (value: unknown) => T | undefined): T {
    const value = take(name);
    if (value === undefined || value === null || (value === '' && name !== 'hubName')) return fallback;
    const converted = convert(value);
    if (converted === undefined) problems.push(`${prefix}${name}: expected ${expected}, got ${JSON.stringify(value)}`);
    return converted ?? fallback;
  }
  return {
    section: (name: string) => toRecord(take(name)),
    /** Counts the key as read if its value is the only supported one. */
    expectOnly: (name: string, only: string) => {
      if (String(values.get(name)).toLowerCase() === only.toLowerCase()) take(name);
    },
    unread: () => {
      const names = Object.keys(section).filter((name) => section[name] !== null && !known.has(name.toLowerCase()));
      return names.map((name) => prefix + name);
    },
    text: (name: string, fallback: string) =>
      read(name, fallback, 'a string', (value) => (typeof value === 'string' ? value : undefined)),
    count: (name: string, fallback: number) => read(name, fallback, 'a whole number of at least 1', toCount),
    hubName: (name: string, fallback: string) =>
      read(name, fallback, HUB_NAME_RULE, (value) => (isHubName(String(value)) ? String(value) : undefined)),
    partitions: (name: string, fallback: number) =>
      read(name, fallback, 'a whole number from 1 to 16', (value) =>
        Number(value) <= 16 ? toCount(value) : undefined,
      ),
    positiveTimeSpan: (name: string, fallback: number) =>
      read(name, fallback, 'a time span above "00:00:00"', (value) => toTimeSpan(value, 1, Number.POSITIVE_INFINITY)),
    visibilityTimeout: (name: string, fallback: number) =>
      read(name, fallback, 'a time span from "00:00:01" to "7.00:00:00"', (value) =>
        toTimeSpan(value, minVisibilityMs, maxVisibilityMs),
      ),
    oneOf: <T extends string>(name: string, allowed: readonly T[], fallback: T) =>
      read(name, fallback, `one of ${allowed.join(', ')}`, (value) =>
        allowed.find((entry) => entry.toLowerCase() === String(value).toLowerCase()),
      ),
  };
}

function toTimeSpan(value: unknown, minMs: number, maxMs: number): number | undefined {
  const ms = parseTimeSpan(String(value));
  return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
}

function toCount(value: unknown): number | undefined {
  const count = Number(value);
  return Number.isInteger(count) && count >= 1 ? count : undefined;
}
