import type { Environment } from '../host/settings/environment.ts';
import type { Connections } from '../stack/stack-options.ts';

/** Settings whose value selects a service of this package instead of one on Azure. */
export interface EmbeddedSettings {
  /** Names of settings with `UseDevelopmentStorage=true`. */
  storage: readonly string[];
  /** Names of settings with `UseDevelopmentEmulator=true`. */
  serviceBus: readonly string[];
}

// A pair at any position of a connection string. The official emulator's strings have it at the end.
const DEVELOPMENT_STORAGE = /(?:^|;)\s*UseDevelopmentStorage\s*=\s*true\s*(?:;|$)/i;
const DEVELOPMENT_EMULATOR = /(?:^|;)\s*UseDevelopmentEmulator\s*=\s*true\s*(?:;|$)/i;

/** Finds the settings that select an embedded service. All other connection strings are used unchanged. */
export function findEmbeddedSettings(env: Environment): EmbeddedSettings {
  const namesOf = (pattern: RegExp): string[] => Object.keys(env).filter((name) => pattern.test(env[name] ?? ''));
  return { storage: namesOf(DEVELOPMENT_STORAGE), serviceBus: namesOf(DEVELOPMENT_EMULATOR) };
}

/** Whether a connection string selects the embedded broker. */
export const isEmulatorConnection = (connection: string): boolean => DEVELOPMENT_EMULATOR.test(connection);

/** Returns the values that replace those of the embedded settings. Without a connection, a setting keeps its value. */
export function connectionSettings(
  embedded: EmbeddedSettings,
  { storage, serviceBus }: Partial<Connections>,
): Record<string, string> {
  const fill = (names: readonly string[], value: string | undefined): [string, string][] =>
    value === undefined ? [] : names.map((name) => [name, value]);
  return Object.fromEntries([...fill(embedded.storage, storage), ...fill(embedded.serviceBus, serviceBus)]);
}
