import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The script `name` (no extension) beside the caller: built files start built files, sources start sources. */
export const scriptPath = (callerUrl: string, name: string): string =>
  fileURLToPath(new URL(`${name}${extname(callerUrl)}`, callerUrl));
