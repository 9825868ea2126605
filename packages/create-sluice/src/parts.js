import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The versions in the package.json of an app.
 * @typedef {{ dependencies: Record<string, string>; devDependencies: Record<string, string> }} Versions
 */

const TEMPLATE = join(import.meta.dirname, '../template');
const CHECKOUT = join(import.meta.dirname, '../../..');
/** Files of the main package that an app begins with. */
const FILES = ['host.json', 'local.settings.sample.json'];
/** What an app's own code imports, besides `sluice`. */
const PEERS = ['@azure/functions', 'durable-functions', 'zod'];
/** What its commands need. */
const TOOLS = ['@types/node', 'esbuild', 'fflate', 'node', 'typescript', 'vitest'];

/**
 * Returns what an app takes over from the main package: from the checkout, or as `prepack` has written it into the template.
 * @returns {Promise<{ isCheckout: boolean; files: Record<string, string>; versions: Versions }>}
 */
export async function appParts() {
  const isCheckout = !existsSync(join(TEMPLATE, 'versions.json'));
  const folder = isCheckout ? CHECKOUT : TEMPLATE;
  const files = Object.fromEntries(
    await Promise.all(FILES.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  );
  const text = await readFile(join(folder, isCheckout ? 'package.json' : 'versions.json'), 'utf8');
  return { isCheckout, files, versions: isCheckout ? versionsOf(JSON.parse(text)) : JSON.parse(text) };
}

/**
 * @param {{ version: string; peerDependencies: Record<string, string>; devDependencies: Record<string, string> }} about
 * @returns {Versions}
 */
function versionsOf({ version, peerDependencies, devDependencies }) {
  const sluice = `^${version}`;
  const pick = (/** @type {Record<string, string>} */ from, /** @type {string[]} */ names) =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? '']));
  const tools = { ...pick(devDependencies, TOOLS), 'functions-local': sluice };
  const sorted = Object.fromEntries(Object.entries(tools).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { dependencies: { ...pick(peerDependencies, PEERS), sluice }, devDependencies: sorted };
}

/**
 * Packs the packages that an app depends on into `folder`.
 * @param {string} folder
 */
export async function packTarballs(folder) {
  const workspaces = ['.', '--workspace', 'functions-local', '--include-workspace-root'];
  await promisify(execFile)('npm', ['pack', ...workspaces, '--pack-destination', folder], {
    cwd: CHECKOUT,
    shell: process.platform === 'win32',
  });
}
