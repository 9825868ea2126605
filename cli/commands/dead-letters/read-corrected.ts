import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { parseExact } from '../../../shared/contract/text/exact-json.ts';
import type { redriveRequestSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { UsageError } from '../../process/errors.ts';
import type { Io } from '../../process/io.ts';

type Corrected = NonNullable<z.input<typeof redriveRequestSchema>['corrected']>[number];

/**
 * Reads the file of `--corrected`: NDJSON with `index` and `item`; `-` is standard input. Throws UsageError for anything else.
 */
export async function readCorrected(io: Io, file: string): Promise<Corrected[]> {
  const content = file === '-' ? await text(io.stdin) : await readText(resolve(io.folder, file), file);
  const lines = content.split('\n').map((line, n) => ({ line, at: `--corrected: ${file}, line ${n + 1}` }));
  const read = lines.filter(({ line }) => line.trim() !== '').map(({ line, at }) => correctedOf(line, at));
  if (read.length === 0) throw new UsageError(`--corrected: ${file} has no lines`);
  return read;
}

async function readText(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error: unknown) {
    throw new UsageError(`--corrected: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

function correctedOf(line: string, at: string): Corrected {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (error: unknown) {
    throw new UsageError(`${at}: expected JSON, got ${line.slice(0, 60)}`, { cause: error });
  }
  const { index, item } = Object(value) as { index?: unknown; item?: unknown };
  if (typeof index === 'number' && item !== undefined) return { index, item: item as Corrected['item'] };
  throw new UsageError(`${at}: expected {"index": …, "item": …}, got ${line.slice(0, 60)}`);
}
