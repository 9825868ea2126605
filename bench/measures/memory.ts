/** Memory of a freshly started host: it must not grow with the size of the upload. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../../cli/text/format.ts';
import type { BenchOptions } from '../arguments.ts';
import { measureSluice } from '../contenders/sluice.ts';
import { writeUpload } from '../stack/data.ts';
import { onBenchStack } from '../stack/stack.ts';

const MB = 1_000_000;

/** Peak memory of the host after one upload. */
export interface Peak {
  items: number;
  peakBytes: number;
}

/** Peak memory of one upload, and of a larger one. */
export interface MemoryResult extends Peak {
  larger: Peak | undefined;
}

/**
 * Items of the larger upload, as a multiple of the first one's. Twenty million would exceed the limit of an HTTP
 * request.
 */
const LARGER = 5;

/** Measures each upload on a fresh host. */
export async function measureMemory(
  { folder, appFolder }: { folder: string; appFolder: string },
  { items, fiveMillion }: Pick<BenchOptions, 'items' | 'fiveMillion'>,
): Promise<MemoryResult> {
  const peakOf = async (count: number): Promise<Peak> => {
    const file = join(folder, `memory-${count}.zst`);
    await writeUpload(file, count);
    const stack = { folder: join(folder, `memory-${count}`), appFolder };
    const { peakBytes } = await onBenchStack(stack, (one) => measureSluice(one, file));
    await rm(file);
    process.stdout.write(`  ${formatCount(count)} items: ${formatCount(peakBytes / MB)} MB\n`);
    return { items: count, peakBytes };
  };
  const first = await peakOf(items);
  return { ...first, larger: fiveMillion ? await peakOf(items * LARGER) : undefined };
}
