import { expect, test } from 'vitest';
import { orderImport } from '../../../shared/commands/inbox/order-import.ts';
import { retryRejected } from '../../../shared/commands/inbox/rejected-files.ts';
import { CONTAINERS } from '../../../shared/contract/names.ts';
import { Problem } from '../../../shared/errors.ts';
import { accountOf } from '../../../shared/intake/inbox/import-file.ts';
import { InboxMarks } from '../../../shared/intake/inbox/inbox-marks.ts';
import { moveFile, removeFile } from '../../../shared/intake/inbox/inbox-move.ts';
import { reasonName, writeReason } from '../../../shared/intake/inbox/rejection-reason.ts';
import { echo } from '../in-process/echo.ts';
import { type Lost, useLossy } from './lossy-storage.ts';

const lossy = useLossy();
const REMOVE: Lost = ['blob', /^DELETE .*\/inbox\//];
const put = (container: string): Lost => ['blob', new RegExp(`^PUT /[^/]+/${container}/`)];

const container = (name: string) => lossy.world.clients.container(name);
const deps = { container };
const marks = () => new InboxMarks(lossy.world.clients.keys);

let files = 0;
async function fileOf(text: string) {
  const name = `echo/file-${files++}`;
  const { etag = '' } = await container(CONTAINERS.inbox).getBlockBlobClient(name).upload(text, text.length);
  return { name, etag };
}
const read = async (from: string, name: string): Promise<string> =>
  (await container(from).getBlobClient(name).downloadToBuffer()).toString();
const isInInbox = (name: string): Promise<boolean> => container(CONTAINERS.inbox).getBlobClient(name).exists();

test.each<[string, Lost]>([
  ['copy', put(CONTAINERS.inboxDone)],
  ['deletion', REMOVE],
])('a file whose %s was answered too late is moved', async (_what, lost) => {
  const file = await fileOf('content');
  lossy.lose(...lost);

  await moveFile(deps, { file, to: CONTAINERS.inboxDone, metadata: { batch: 'b' }, repeated: false });

  lossy.assertLost();
  expect(await isInInbox(file.name)).toBe(false);
  expect(await read(CONTAINERS.inboxDone, file.name)).toBe('content');
});

test('a file of a deleted batch whose removal was answered too late is gone', async () => {
  const file = await fileOf('content');
  lossy.lose(...REMOVE);

  await removeFile(deps, file);

  lossy.assertLost();
  expect(await isInInbox(file.name)).toBe(false);
});

test('the reason of a rejection whose write was answered too late is stored', async () => {
  const name = `echo/file-${files++}`;
  lossy.lose(...put(CONTAINERS.inboxRejected));

  await writeReason(deps, name, new Problem('conflict', 'No.'));

  lossy.assertLost();
  expect(JSON.parse(await read(CONTAINERS.inboxRejected, reasonName(name)))).toMatchObject({ detail: 'No.' });
});

test('a mark whose write was answered too late is stored', async () => {
  const file = { name: `echo/file-${files++}`, etag: '0x1' };
  lossy.lose('table', /^PUT .*\/keys\(/);

  await marks().add(file, { batch: 'b' });

  lossy.assertLost();
  expect(await marks().find(file)).toEqual({ batch: 'b' });
});

test('a mark whose removal was answered too late is gone', async () => {
  const file = { name: `echo/file-${files++}`, etag: '0x1' };
  await marks().add(file, { rejected: true });
  const look = marks();
  await look.find({ name: 'another', etag: '0x1' });
  lossy.lose('table', /^DELETE .*\/keys\(/);

  await look.forgetOthers((name) => name === file.name);

  lossy.assertLost();
  expect(await marks().find(file)).toBeUndefined();
});

test.each<[string, Lost]>([
  ['copy', put(CONTAINERS.inbox)],
  ['deletion', ['blob', /^DELETE .*\/inbox-rejected\/.*[^n]$/]],
])('a rejected file whose %s was answered too late is back in the inbox', async (_what, lost) => {
  const { name } = await fileOf('content');
  await moveFile(deps, { file: await current(name), to: CONTAINERS.inboxRejected, metadata: {}, repeated: false });
  lossy.lose(...lost);

  await retryRejected(deps, name);

  lossy.assertLost();
  expect(await read(CONTAINERS.inbox, name)).toBe('content');
  expect(await container(CONTAINERS.inboxRejected).getBlobClient(name).exists()).toBe(false);
});

async function current(name: string) {
  const { etag = '' } = await container(CONTAINERS.inbox).getBlobClient(name).getProperties();
  return { name, etag };
}

test('an address whose write was answered too late is stored', async () => {
  const url = `${accountOf(container(CONTAINERS.inbox))}uploads/a.csv`;
  const order = { lane: undefined, url, id: 'x', key: undefined, fileName: undefined, labels: undefined, csv: {} };
  lossy.lose(...put(CONTAINERS.inbox));

  const name = await orderImport(deps, { ...order, workload: { ...echo, containers: ['uploads'] } });

  lossy.assertLost();
  expect(await read(CONTAINERS.inbox, `${name}.url`)).toBe(url);
});
