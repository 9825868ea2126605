const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/**
 * Returns the address of a module by its path from this folder, without extension: the build has .js where the sources
 * have .ts.
 */
export const moduleUrl = (path: string): URL => new URL(`${path}${EXTENSION}`, import.meta.url);
