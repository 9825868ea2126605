import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostOptions } from '../host-options.ts';
import { createKey, createKeys, type HostKeys, parseKeys } from '../http/keys.ts';

/**
 * Returns the keys to enforce, or undefined if keys are not enforced. Creates `keys.json` in the state folder if it is
 * missing.
 */
export function loadKeys(options: Pick<HostOptions, 'enableAuth' | 'keys' | 'stateDir'>): HostKeys | undefined {
  if (!options.enableAuth) return undefined;
  // While keys are enforced, extension webhooks always require one. If no system key is configured, a temporary one is
  // created.
  if (options.keys) return { system: createKey(), ...options.keys };
  const file = join(options.stateDir, 'keys.json');
  if (existsSync(file)) return parseKeys(readFileSync(file, 'utf8'), file);
  mkdirSync(options.stateDir, { recursive: true });
  writeOnce(file, `${JSON.stringify(createKeys(), null, 2)}\n`);
  return parseKeys(readFileSync(file, 'utf8'), file);
}

/** Writes a complete file, unless it exists: several instances can start at the same time, and all must use the same keys. */
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
