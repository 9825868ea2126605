import { expect, it } from 'vitest';
import { Problem } from '../../../../shared/errors.ts';
import { listInbox } from '../../../../shared/http/inbox/files.ts';
import type { InboxFilesDeps } from '../../../../shared/intake/inbox/operator/inbox-files.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { requestFor } from '../requests.ts';

const MARKER = Buffer.from('a marker').toString('base64url');

/** Lists an inbox whose listing fails with the status. */
const listing = (query: string, statusCode: number) => {
  const failing = { next: () => Promise.reject(Object.assign(new Error('refused'), { statusCode })) };
  const container = () => ({ listBlobsFlat: () => ({ byPage: () => failing }) });
  const deps = { container, registry: createRegistry([]), listTaking: () => [] } as unknown as InboxFilesDeps;
  return listInbox(deps, requestFor(`inbox${query}`));
};

it('refuses a marker that the service refuses', async () => {
  await expect(listing(`?after=inbox.${MARKER}`, 400)).rejects.toMatchObject({ type: 'invalid-parameter' });
});

it.each([
  ['another failure of the service', `?after=inbox.${MARKER}`, 503],
  ['a refusal without a marker', '', 400],
])('passes on %s', async (_what, query, status) => {
  const thrown: unknown = await listing(query, status).catch((error: unknown) => error);

  expect(thrown).not.toBeInstanceOf(Problem);
  expect(thrown).toMatchObject({ statusCode: status });
});

it.each([
  ['a control character', Buffer.from('a\0b').toString('base64url')],
  ['a code point that XML excludes', Buffer.from('a\uffff').toString('base64url')],
  ['bytes that are no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
  ['base64 that was cut off', 'a'],
])('refuses a marker with %s before it asks the service', async (_what, marker) => {
  await expect(listing(`?after=inbox.${marker}`, 500)).rejects.toMatchObject({ type: 'invalid-parameter' });
});
