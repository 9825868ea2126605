import { fileURLToPath } from 'node:url';
import { findAppFolder, workloadsOf } from '../../shared/app-folder.ts';
import { toError } from '../../shared/errors.ts';
import type { Registry } from '../../shared/workload/registry.ts';
import { CliError } from '../process/errors.ts';

/**
 * Loads the workloads of the app in `folder` or above it.
 * @throws CliError with file and line if one cannot be loaded
 */
export async function loadWorkloads(folder: string): Promise<Registry> {
  try {
    return ((await import(workloadsOf(findAppFolder(folder) ?? folder).href)) as { registry: Registry }).registry;
  } catch (error: unknown) {
    throw loadError(error);
  }
}

/** Matches a place in a stack: the line that Node.js prints before a syntax error, or a frame. */
const PLACE = /(file:\/\/\/[^\s()]+?):(\d+)(?::(\d+))?/g;

/** Creates the error of a module that cannot be loaded, with the place in the workload. */
export function loadError(thrown: unknown): CliError {
  const { stack = '', name, message } = toError(thrown);
  const places = [...stack.matchAll(PLACE)].map(([, url = '', line]) => ({ path: fileURLToPath(url), line }));
  const isOwn = (path: string): boolean => !path.includes('/node_modules/');
  const place =
    places.find(({ path }) => path.includes('/workloads/')) ?? places.find(({ path }) => isOwn(path)) ?? places[0];
  const where = place === undefined ? '' : `${place.path}:${place.line}: `;
  return new CliError(`The workloads cannot be loaded: ${where}${name}: ${message.split('\n')[0]}`, { cause: thrown });
}
