import { readTimeSpan } from './time-span.ts';

const matchStrategies = ['None', 'Strict', 'CurrentOrOlder'] as const;
const failureStrategies = ['Reject', 'Fail'] as const;
const overridableStates = ['NonRunningStates', 'AnyState'] as const;

/** Which instance versions an app runs. */
export type VersionMatchStrategy = (typeof matchStrategies)[number];

/** The part of host.json's `extensions.durableTask` that this backend obeys. */
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
  turnVisibilityTimeoutMs: number;
}

/** Reads and checks the settings, with Azure's defaults; throws one error that names all problems. */
export function readDurableConfig(config: Record<string, unknown>, cores: number): Readonly<DurableConfig> {
  const problems: string[] = [];
  const main = reader(config, '', problems);
  const provider = reader(toRecord(config.storageProvider), 'storageProvider.', problems);
  const result: DurableConfig = {
    hubName: main.text('hubName', 'TestHubName'),
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
    maxPollingIntervalMs: provider.timeSpan('maxQueuePollingInterval', 30_000),
    activityVisibilityTimeoutMs: provider.timeSpan('workItemQueueVisibilityTimeout', 5 * 60_000),
    turnVisibilityTimeoutMs: provider.timeSpan('controlQueueVisibilityTimeout', 5 * 60_000),
  };
  if (problems.length > 0) throw new Error(`host.json, extensions.durableTask: ${problems.join('; ')}`);
  return Object.freeze(result);
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function reader(values: Record<string, unknown>, prefix: string, problems: string[]) {
  function read<T>(name: string, fallback: T, expected: string, convert: (value: unknown) => T | undefined): T {
    const value = values[name];
    if (value === undefined || value === null || value === '') return fallback;
    const converted = convert(value);
    if (converted === undefined) problems.push(`${prefix}${name}: expected ${expected}, got ${JSON.stringify(value)}`);
    return converted ?? fallback;
  }
  return {
    text: (name: string, fallback: string) =>
      read(name, fallback, 'a text', (value) => (typeof value === 'string' ? value : undefined)),
    count: (name: string, fallback: number) => read(name, fallback, 'a whole number of at least 1', toCount),
    timeSpan: (name: string, fallback: number) =>
      read(name, fallback, 'a time span such as "00:00:30"', (value) => readTimeSpan(String(value))),
    oneOf: <T extends string>(name: string, allowed: readonly T[], fallback: T) =>
      read(name, fallback, `one of ${allowed.join(', ')}`, (value) =>
        allowed.find((entry) => entry.toLowerCase() === String(value).toLowerCase()),
      ),
  };
}

function toCount(value: unknown): number | undefined {
  const count = Number(value);
  return Number.isInteger(count) && count >= 1 ? count : undefined;
}
