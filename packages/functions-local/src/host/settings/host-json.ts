import { findUnreadDurableKeys } from '../../durable/config.ts';
import { minutes, seconds } from '../../units.ts';
import { HostStartError } from '../errors.ts';
import type { LogLevel } from '../worker-protocol.ts';
import type { Environment } from './environment.ts';
import { isRecord } from './json.ts';
import { applyOverrides, durableOverrides } from './overrides.ts';
import { parseJsonObject } from './parse-json.ts';
import { createReader, type SectionReader } from './section-reader.ts';

/** The settings that this host reads from `host.json`. */
export interface HostConfig {
  /** In milliseconds. Undefined means no limit. */
  functionTimeoutMs?: number;
  /** Names of the functions to run, compared without case. Empty means all. */
  functions: readonly string[];
  routePrefix: string;
  logLevels: Record<string, LogLevel>;
  serviceBus: ServiceBusConfig;
  durableTask: Record<string, unknown>;
  /** Variables that override `durableTask`. The scale controller of Azure reads the file without them. */
  durableOverrides: readonly string[];
  /** Whether host.json has an extension bundle. */
  hasExtensionBundle: boolean;
  /** Paths of keys that have no effect in this host. */
  unreadKeys: readonly string[];
}

/** The section `extensions.serviceBus`. */
export interface ServiceBusConfig {
  autoCompleteMessages: boolean;
  /** Undefined means 16 per core. */
  maxConcurrentCalls?: number;
  maxAutoLockRenewalMs: number;
  minMessageBatchSize: number;
  maxMessageBatchSize: number;
  maxBatchWaitMs: number;
}

const LEVELS = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'] as const;

/** Reads `host.json` and applies overrides from the environment. Throws one error with all problems. */
export function readHostConfig(text: string | undefined, env: Environment): HostConfig {
  if (text === undefined) throw new HostStartError('host.json: file not found in the app folder.');
  const json = applyOverrides(parseJsonObject(text, 'host.json'), env);
  const reader = createReader(json);
  const version = reader.raw(['version']);
  if (version !== '2.0') reader.problem('version', 'the string "2.0"', version);
  const section = reader.raw(['extensions', 'durableTask']);
  const durableTask = isRecord(section) ? section : {};
  const config = {
    ...readTimeout(reader),
    functions: readFunctions(reader),
    routePrefix: reader.text(['extensions', 'http', 'routePrefix'], 'api').replace(/^\/+|\/+$/g, ''),
    logLevels: readLevels(reader, reader.raw(['logging', 'logLevel'])),
    serviceBus: readServiceBus(reader),
    durableTask,
    durableOverrides: durableOverrides(env),
    hasExtensionBundle: readBundle(reader),
  };
  // A key for editors, not for the host.
  reader.raw(['$schema']);
  reader.throwProblems('host.json');
  const inDurableTask = findUnreadDurableKeys(durableTask).map((key) => `extensions.durableTask.${key}`);
  return { ...config, unreadKeys: [...reader.unread(), ...inDurableTask] };
}

// The override AzureFunctionsJobHost__functions__0 creates an object with the key "0".
function readFunctions(reader: SectionReader): string[] {
  const section = reader.raw(['functions']) ?? [];
  const names = Array.isArray(section) || isRecord(section) ? Object.values(section) : undefined;
  if (!names?.every((name) => typeof name === 'string')) reader.problem('functions', 'an array of names', section);
  return names?.map(String) ?? [];
}

function readBundle(reader: SectionReader): boolean {
  if (!isRecord(reader.raw(['extensionBundle']))) return false;
  for (const name of ['id', 'version']) {
    const value = reader.raw(['extensionBundle', name]);
    if (typeof value !== 'string' || value.trim() === '')
      reader.problem(`extensionBundle.${name}`, 'a non-empty string', value);
  }
  return true;
}

function readTimeout(reader: SectionReader): { functionTimeoutMs?: number } {
  if (reader.raw(['functionTimeout']) === '-1') return {};
  const functionTimeoutMs = reader.timeSpan(['functionTimeout'], minutes(30));
  if (functionTimeoutMs < seconds(1))
    reader.problem('functionTimeout', 'at least 00:00:01, or "-1"', functionTimeoutMs);
  return { functionTimeoutMs };
}

function readLevels(reader: SectionReader, section: unknown): Record<string, LogLevel> {
  const levels: Record<string, LogLevel> = {};
  for (const [category, value] of Object.entries(isRecord(section) ? section : {})) {
    const level = LEVELS.find((name) => name === String(value).toLowerCase());
    if (level) levels[category] = level;
    else reader.problem(`logging.logLevel.${category}`, `one of ${LEVELS.join(', ')}`, value);
  }
  return levels;
}

function readServiceBus(reader: SectionReader): ServiceBusConfig {
  const at = (name: string) => ['extensions', 'serviceBus', name];
  const maxConcurrentCalls = reader.integer(at('maxConcurrentCalls'), 0);
  return {
    autoCompleteMessages: reader.boolean(at('autoCompleteMessages'), true),
    ...(maxConcurrentCalls > 0 ? { maxConcurrentCalls } : {}),
    maxAutoLockRenewalMs: reader.timeSpan(at('maxAutoLockRenewalDuration'), minutes(5)),
    minMessageBatchSize: reader.integer(at('minMessageBatchSize'), 1),
    maxMessageBatchSize: reader.integer(at('maxMessageBatchSize'), 1000),
    maxBatchWaitMs: reader.timeSpan(at('maxBatchWaitTime'), seconds(30)),
  };
}
