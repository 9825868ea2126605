import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostOptions } from '../host-options.ts';
import { createKey, createKeys, type HostKeys, parseKeys } from '../http/keys.ts';

/** The keys to enforce; undefined when keys are not enforced. Writes `keys.json` into the state folder if there is none. */
export function loadKeys(options: Pick<HostOptions, 'enableAuth' | 'keys' | 'stateDir'>): HostKeys | undefined {
  if (!options.enableAuth) return undefined;
  // Extension webhooks are never open while keys are enforced: without a key of theirs they get a passing one.
  if (options.keys) return { system: createKey(), ...options.keys };
  const file = join(options.stateDir, 'keys.json');
  if (existsSync(file)) return parseKeys(readFileSync(file, 'utf8'), file);
  mkdirSync(options.stateDir, { recursive: true });
  writeOnce(file, `${JSON.stringify(createKeys(), null, 2)}\n`);
  return parseKeys(readFileSync(file, 'utf8'), file);
}

/** Writes a file whole, or leaves it as it is: several instances may start at once, and all must have the same keys. */
function writeOnce(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error: unknown) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft);
  }
}
