import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TableFlags } from '../../../cli/upload/csv-flags.ts';
import { createApi } from '../../../local/batch/api.ts';
import type { Submission } from '../../../local/batch/submission.ts';
import { uploadFile } from '../../../local/batch/upload.ts';
import { useUploadApp } from '../../integration/cli/upload-app.ts';

const app = useUploadApp();
const silent = { write: () => true };

/** Uploads a file as `npm start -- FILE` does; returns its idempotency key. */
async function keyOfDemo(file: string, options: Partial<Submission> = {}): Promise<unknown> {
  const api = createApi(app.addressOf(''), { function: 'key', master: 'key' });
  await uploadFile(api, { file, workload: 'billing', isOnce: true, ...options }, silent);
  return app.arrived.at(-1)?.headers['idempotency-key'];
}

it.each<[name: string, text: string, csv: TableFlags, options: string[]]>([
  ['a.ndjson', '{"id":1}\n', {}, []],
  ['a.csv', 'id;amount\n1;2\n', { delimiter: ';' }, ['--delimiter', ';']],
])('an upload of %s has the idempotency key of sluice submit', async (name, text, csv, options) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  const file = join(folder, name);
  await writeFile(file, text);
  await app.submit([file, '--workload', 'billing', ...options]);
  const submitted = app.arrived.at(-1)?.headers['idempotency-key'];

  expect(submitted).toMatch(/^sha256-/);
  expect(await keyOfDemo(file, { csv })).toBe(submitted);
  expect(await keyOfDemo(file, { csv, isOnce: false })).toBeUndefined();
  await rm(folder, { recursive: true });
});
