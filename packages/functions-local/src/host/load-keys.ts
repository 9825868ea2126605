import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostOptions } from './host-options.ts';
import { createKey, createKeys, type HostKeys, parseKeys } from './http/keys.ts';

/** The keys to enforce; undefined when keys are not enforced. Writes `keys.json` into the state folder if there is none. */
export function loadKeys(options: HostOptions): HostKeys | undefined {
  if (!options.enableAuth) return undefined;
  // Extension webhooks are never open while keys are enforced: without a key of theirs they get a passing one.
  if (options.keys) return { system: createKey(), ...options.keys };
  const file = join(options.stateDir, 'keys.json');
  if (existsSync(file)) return parseKeys(readFileSync(file, 'utf8'), file);
  const keys = createKeys();
  mkdirSync(options.stateDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  return keys;
}
