import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { batchView, run } from '../world.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sluice-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const fileOf = (): string => join(home, '.config/sluice/profiles.json');
/** An environment without address and keys. */
const bare = () => ({ SLUICE_URL: '', SLUICE_KEY: '', SLUICE_OPERATOR_KEY: '', HOME: home });
const accepts = { 'GET batches?limit=1': { json: {} }, 'GET queues': { json: { queues: [] } } };
const sluice = (args: string, { answers = accepts, stdin = '', env = {} }: Partial<Given> = {}) =>
  run(args, answers, { env: { ...bare(), ...env }, stdin });
interface Given {
  answers: Parameters<typeof run>[1];
  stdin: string;
  env: Record<string, string>;
}
const login = (name: string, keys = 'client-1\noperator-1\n') =>
  sluice(`login ${name} --url https://${name}.test/api/`, { stdin: keys });

describe('login', () => {
  it('tests the keys, stores them in a file for the user only, and never prints them', async () => {
    const { code, out, err, asked } = await login('prod');
    expect([code, err]).toEqual([EXIT.done, '']);
    expect(out).toBe(`prod is the current profile: https://prod.test\nStored in ${fileOf()}\n`);
    expect(asked.map(({ path, key }) => [path, key])).toEqual([
      ['batches?limit=1', 'client-1'],
      ['queues', 'operator-1'],
    ]);
    expect([(await stat(fileOf())).mode & 0o777, (await stat(join(fileOf(), '..'))).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect(await readdir(join(fileOf(), '..'))).toEqual(['profiles.json']);
    expect(JSON.parse(await readFile(fileOf(), 'utf8'))).toEqual({
      current: 'prod',
      profiles: { prod: { url: 'https://prod.test', key: 'client-1', operatorKey: 'operator-1' } },
    });
  });

  it('stores nothing if the app does not accept the key', async () => {
    const answers = { 'GET batches?limit=1': { status: 401 } };
    const { code } = await sluice('login prod --url https://prod.test', { stdin: 'wrong\n', answers });
    expect([code, await readdir(home)]).toEqual([EXIT.refused, []]);
  });

  it('accepts the key of an operator without that of a client', async () => {
    const { asked } = await login('ops', '\noperator-1\n');
    expect(asked.map(({ path }) => path)).toEqual(['queues']);
    expect(JSON.parse(await readFile(fileOf(), 'utf8')).profiles.ops).toEqual({
      url: 'https://ops.test',
      operatorKey: 'operator-1',
    });
  });

  it('makes an existing profile the current one', async () => {
    await login('prod');
    await login('test', 'client-2\n');
    expect(JSON.parse((await sluice('profiles --json')).out)).toEqual({
      profiles: [
        { name: 'prod', url: 'https://prod.test', current: false, keys: ['client', 'operator'] },
        { name: 'test', url: 'https://test.test', current: true, keys: ['client'] },
      ],
    });
    const { asked, out } = await sluice('login prod');
    expect([asked, out]).toEqual([[], 'prod is the current profile: https://prod.test\n']);
    expect((await sluice('profiles')).out).toBe(
      '  name  url                current  keys\n  prod  https://prod.test  current  client, operator\n  test  https://test.test           client\n',
    );
    expect((await sluice('profiles -o csv')).out).toBe(
      'name,url,current,keys\r\nprod,https://prod.test,true,"client, operator"\r\ntest,https://test.test,false,client\r\n',
    );
  });

  it.each([
    ['login prod', 'expected --url, because there is no profile "prod" yet'],
    ['login prod --url https://prod.test', 'expected the key of a client system'],
    ['login ../prod --url https://prod.test', 'expected a name of at most 40'],
    ['login prod --url nowhere', '--url: expected an address'],
    ['logout prod', 'There is no profile "prod"; there are no profiles; sluice login creates one.'],
    ['batches --profile prod', 'There is no profile "prod"'],
    ['batches --profile prod --url https://prod.test', '--profile: cannot be combined with --url'],
  ])('refuses "%s"', async (args, message) => {
    const { code, err, asked } = await sluice(args);
    expect([code, asked, err]).toEqual([EXIT.usage, [], expect.stringContaining(message)]);
    expect(await readdir(home)).toEqual([]);
  });

  it('is reverted by logout', async () => {
    await login('prod');
    await login('test', 'client-2\n');
    expect((await sluice('logout test')).out).toBe('Deleted test, with its keys\n');
    expect(JSON.parse(await readFile(fileOf(), 'utf8'))).toMatchObject({ profiles: { prod: {} } });
    expect(await readFile(fileOf(), 'utf8')).not.toMatch(/current|client-2|"test"/);
    expect((await sluice('logout pord')).err).toContain('there are: prod. Did you mean prod?');
  });
});

describe('a profile', () => {
  const id = '01a1fe1f-bab8-7ae4-96f3-25c93f470606';
  const answers = { [`GET batches/${id}`]: { json: batchView(id, 'completed') } };
  const keyOf = async (args: string, env: Record<string, string> = {}) => {
    const { asked, code, err } = await sluice(`watch ${id} ${args}`, { answers, env });
    expect([code, err.includes('sluice:')]).toEqual([EXIT.done, false]);
    return asked[0]?.key;
  };

  it('sends its keys only to its own address', async () => {
    await login('test', 'client-2\n');
    await login('prod');
    expect(await keyOf('')).toBe('client-1');
    expect(await keyOf('', { SLUICE_PROFILE: 'test' })).toBe('client-2');
    expect(await keyOf('--profile test', { SLUICE_PROFILE: 'prod', SLUICE_URL: 'http://app.test' })).toBe('client-2');
    expect(await keyOf('', { SLUICE_URL: 'http://app.test' })).toBeNull();
    expect(await keyOf('--url http://app.test')).toBeNull();
  });

  it('has lower precedence than options and variables, and both keys come from one source', async () => {
    await login('prod');
    expect(await keyOf('--key mine')).toBe('mine');
    expect(await keyOf('', { SLUICE_KEY: 'of-env' })).toBe('of-env');
    expect(await keyOf('--profile prod', { SLUICE_KEY: 'of-env' })).toBe('client-1');
    const queues = await sluice('queues', { env: { SLUICE_KEY: 'of-env' } });
    expect(queues.asked[0]?.key).toBe('of-env');
    expect((await sluice('queues')).asked[0]?.key).toBe('operator-1');
  });

  it('is not used if others can read the file or it is malformed; its content is not shown', async () => {
    await login('prod');
    await chmod(fileOf(), 0o644);
    const open = await sluice('batches');
    expect([open.code, open.asked, open.err]).toEqual([EXIT.failed, [], expect.stringContaining('chmod 600')]);
    await chmod(fileOf(), 0o600);
    await writeFile(fileOf(), '{"profiles": "secret-key');
    const broken = await sluice('batches');
    expect([broken.code, broken.err]).toEqual([
      EXIT.failed,
      expect.stringContaining('is not a valid file of profiles'),
    ]);
    expect(broken.err).not.toContain('secret-key');
  });

  it('cannot be stored without a folder for settings', async () => {
    const { code, err } = await sluice('login prod --url https://prod.test --key k', { env: { HOME: '' } });
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining('neither HOME nor XDG_CONFIG_HOME')]);
  });
});
