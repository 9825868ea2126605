import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of the script `name` (without extension) relative to the caller, with the caller's extension: built files
 * start built files, sources start sources.
 */
export const scriptPath = (callerUrl: string, name: string): string =>
  fileURLToPath(new URL(`${name}${extname(callerUrl)}`, callerUrl));
