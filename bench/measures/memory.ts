/** Memory of a host that has done nothing before: it must not grow with the upload. */
import { join } from 'node:path';
import { measureSluice } from '../contenders/sluice.ts';
import { writeUpload } from '../stack/data.ts';
import { onBenchStack } from '../stack/stack.ts';

/** Peak memory of the host after one upload each. */
export interface MemoryResult {
  items: number;
  peakBytes: number;
  larger?: { items: number; peakBytes: number };
}

const TIMES = 5;

/** One fresh host an upload; `upload` is the file with `items` items. */
export async function measureMemory(
  { folder, appFolder }: { folder: string; appFolder: string },
  { items, fiveMillion, upload }: { items: number; fiveMillion: boolean; upload: string },
): Promise<MemoryResult> {
  const peakOf = (name: string, file: string): Promise<number> =>
    onBenchStack(
      { folder: join(folder, name), appFolder },
      async (stack) => (await measureSluice(stack, file)).peakBytes,
    );
  const peakBytes = await peakOf('memory', upload);
  if (!fiveMillion) return { items, peakBytes };
  const file = join(folder, 'larger.zst');
  await writeUpload(file, items * TIMES);
  return { items, peakBytes, larger: { items: items * TIMES, peakBytes: await peakOf('larger', file) } };
}
