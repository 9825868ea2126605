import { describe, expect, it } from 'vitest';
import { useInbox } from './use-inbox.ts';

const { collect, drop, list, propertiesOf } = useInbox();

describe('the listing of the inbox', () => {
  it('contains waiting and taken files, page by page, before rejected ones', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    await drop('nobody/bad.ndjson', '{}');
    await collect();
    for (const name of ['echo/1.ndjson', 'echo/2.ndjson', 'other.txt']) await drop(name);
    const { etag = '' } = await propertiesOf('inbox', 'echo/2.ndjson');
    const taking = { name: 'echo/2.ndjson', bytes: 80, readBytes: 40, readItems: 2, since: '2026-01-01T00:00:00.000Z' };
    const listTaking = async function* () {
      yield { ...taking, name: 'echo/1.ndjson', etag: '0xreplaced' };
      yield { ...taking, etag: etag.replaceAll('"', '') };
    };

    const seen: string[] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
      const page = await list(query, listTaking as never);
      seen.push(...page.files.map(({ name, state, readItems = '' }) => `${state} ${name} ${readItems}`.trim()));
      query = page.next;
    }

    expect(seen).toEqual([
      ...['waiting echo/1.ndjson', 'taking echo/2.ndjson 2', 'waiting other.txt'],
      ...['rejected echo/bad.ndjson', 'rejected nobody/bad.ndjson'],
    ]);
    const names = async (query: string) => (await list(query)).files.map(({ name }) => name);
    expect(await names('?workload=echo&state=waiting')).toEqual(['echo/1.ndjson', 'echo/2.ndjson']);
    expect(await names('?workload=nobody')).toEqual(['nobody/bad.ndjson']);
  });

  it('contains an address file whose target name is invalid', async () => {
    await drop('.url');
    expect((await list()).files).toMatchObject([{ name: '.url', state: 'waiting', workload: null }]);
    expect(await collect()).toMatchObject({ rejected: 1 });
  });

  it('finds one file by its name in any state, with the batch that it became', async () => {
    await drop('echo/a.ndjson');
    const stateOf = async (name: string) => (await list(`?name=${encodeURIComponent(name)}`)).files;
    expect(await stateOf('echo/a.ndjson')).toMatchObject([{ state: 'waiting' }]);
    await drop('echo/bad.ndjson', '{"id":');
    await collect();

    const { metadata = {} } = await propertiesOf('inbox-done', 'echo/a.ndjson');
    expect(await stateOf('echo/a.ndjson')).toMatchObject([{ state: 'done', batch: metadata.batch }]);
    expect(await stateOf('echo/bad.ndjson')).toMatchObject([{ state: 'rejected', reason: { status: 400 } }]);
    expect(await stateOf('echo/bad.ndjson.reason.json')).toEqual([]);
    expect(await stateOf('echo/none.ndjson')).toEqual([]);
  });

  it.each([
    ...['?limit=0', '?limit=201', '?state=done', '?state=lost', '?workload=..', '?after=elsewhere', '?after=inbox.*'],
    ...['?name=', '?name=echo/../../payloads/x', '?name=echo%5C..%5Cx'],
  ])('refuses %s', async (query) => {
    expect(await list(query)).toMatchObject({ status: 400 });
  });
});
