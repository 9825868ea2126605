import type { Environment } from '../host/settings/environment.ts';
import type { Connections } from '../stack/stack-options.ts';

/** Settings whose value asks for a service of this package instead of one on Azure. */
export interface EmbeddedSettings {
  /** Names of settings with `UseDevelopmentStorage=true`. */
  storage: readonly string[];
  /** Names of settings with `UseDevelopmentEmulator=true`. */
  serviceBus: readonly string[];
}

// A pair of a connection string, at any place in it: the official emulator's strings have it at the end.
const DEVELOPMENT_STORAGE = /(?:^|;)\s*UseDevelopmentStorage\s*=\s*true\s*(?:;|$)/i;
const DEVELOPMENT_EMULATOR = /(?:^|;)\s*UseDevelopmentEmulator\s*=\s*true\s*(?:;|$)/i;

/** Finds the settings that ask for an embedded service; every other connection string is used as it is. */
export function findEmbeddedSettings(env: Environment): EmbeddedSettings {
  const namesOf = (pattern: RegExp): string[] => Object.keys(env).filter((name) => pattern.test(env[name] ?? ''));
  return { storage: namesOf(DEVELOPMENT_STORAGE), serviceBus: namesOf(DEVELOPMENT_EMULATOR) };
}

/** Whether a connection string asks for the embedded broker. */
export const isEmulatorConnection = (connection: string): boolean => DEVELOPMENT_EMULATOR.test(connection);

/** The values that replace those of the embedded settings; without a connection a setting keeps its value. */
export function connectionSettings(
  embedded: EmbeddedSettings,
  { storage, serviceBus }: Partial<Connections>,
): Record<string, string> {
  const fill = (names: readonly string[], value: string | undefined): [string, string][] =>
    value === undefined ? [] : names.map((name) => [name, value]);
  return Object.fromEntries([...fill(embedded.storage, storage), ...fill(embedded.serviceBus, serviceBus)]);
}
