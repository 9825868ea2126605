/** Memory of a host that has done nothing before: it must not grow with the upload. */
import { join } from 'node:path';
import { measureSluice } from './contenders/sluice.ts';
import { writeUpload } from './data.ts';
import { startBenchStack } from './stack.ts';

/** Peak memory of the host after one upload each. */
export interface MemoryResult {
  items: number;
  peakBytes: number;
  larger?: { items: number; peakBytes: number };
}

const TIMES = 5;

/** One fresh host an upload. */
export async function measureMemory(
  folder: string,
  appFolder: string,
  { items, fiveMillion }: { items: number; fiveMillion: boolean },
): Promise<MemoryResult> {
  const peakBytes = await peakOf(join(folder, 'memory'), appFolder, items);
  if (!fiveMillion) return { items, peakBytes };
  const more = items * TIMES;
  return {
    items,
    peakBytes,
    larger: { items: more, peakBytes: await peakOf(join(folder, 'larger'), appFolder, more) },
  };
}

async function peakOf(folder: string, appFolder: string, items: number): Promise<number> {
  const file = `${folder}.ndjson.zst`;
  await writeUpload(file, items);
  const stack = await startBenchStack({ folder, appFolder });
  try {
    return (await measureSluice(stack, file)).peakBytes;
  } finally {
    await stack.stop();
  }
}
