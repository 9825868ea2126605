import { relative } from 'node:path';
import type { Batch, SluiceApi } from './api.ts';
import { describeFile } from './upload.ts';

/** Three commands to go on with. `file` is what was uploaded. */
export function describeNextSteps(
  api: SluiceApi,
  batch: Batch,
  { file, workload }: { file: string; workload: string },
): string[] {
  const curl = (path: string, ...options: string[]): string => {
    const { url, headers } = api.address(path);
    const parts = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
    return `  curl -s ${[...parts, ...options, `'${url}'`].join(' ')}`;
  };
  const { contentType, encoding, compress } = describeFile(file);
  const types = [`-H 'content-type: ${contentType}'`, ...(compress ? [] : [`-H 'content-encoding: ${encoding}'`])];
  return [
    'Try:',
    curl(`batches/${batch.id}/report?format=csv`),
    curl(`batches/${batch.id}/dead-letters`),
    curl(`workloads/${workload}/batches`, ...types, `--data-binary @'${relative(process.cwd(), file)}'`),
  ];
}
