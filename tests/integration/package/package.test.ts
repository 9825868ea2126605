import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageBlocks } from '../../../demo/usage/generate.ts';
import { writeImages } from '../../../demo/usage/media.ts';
import { bundle } from '../../../infra/packaging/bundle.ts';
import { type AppPackage, packageApp } from '../../../infra/packaging/package-app.ts';
import { ROUTES } from '../../../shared/http/routes.ts';
import { finished } from '../../helpers/client.ts';
import { FUNCTIONS } from '../../helpers/data/functions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ITEMS = 2_000;

let folder: string;
let made: AppPackage;
let files: Record<string, Uint8Array>;

beforeAll(async () => {
  // Outside the checkout, so that no package of its node_modules is found by accident.
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'));
  made = await packageApp(ROOT, join(folder, 'out'));
  files = unzipSync(await readFile(made.zip));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the package', () => {
  it('has the same bytes when it is created in another folder', async () => {
    const again = await packageApp(ROOT, join(folder, 'again'));
    const digest = async ({ zip }: AppPackage): Promise<string> =>
      createHash('sha256')
        .update(await readFile(zip))
        .digest('hex');
    expect(await digest(again)).toBe(await digest(made));
  });

  it('is not replaced by an equal one, and is replaced if one of its files was changed', async () => {
    const inode = async ({ folder: unpacked }: AppPackage): Promise<number> => (await stat(unpacked)).ino;
    const before = await inode(made);
    await packageApp(ROOT, join(folder, 'out'));
    expect(await inode(made)).toBe(before);
    await writeFile(join(made.folder, 'host.json'), '{}');
    await packageApp(ROOT, join(folder, 'out'));
    expect(await readFile(join(made.folder, 'host.json'), 'utf8')).toContain('durableTask');
    expect((await readdir(join(folder, 'out'))).toSorted()).toEqual(['package', 'sluice.zip']);
  });

  it('has the durable backend that it is created with, in host.json and in the functions', async () => {
    const scheduler = await packageApp(ROOT, join(folder, 'scheduler'), { backend: 'azureManaged' });
    const names = [
      'host.json',
      ...(await readdir(join(scheduler.folder, 'dist/functions'))).map((name) => `dist/functions/${name}`),
    ];
    const texts = await Promise.all(names.map((name) => readFile(join(scheduler.folder, name), 'utf8')));
    const withBackend = names.filter((_, at) => texts[at]?.includes('connectionStringName'));
    expect(withBackend).toEqual(['host.json', 'dist/functions/main.js']);
    expect(texts.filter((text) => text.includes('maxQueuePollingInterval'))).toEqual([]);
  });

  it('contains exactly the files that the host needs', () => {
    const names = Object.keys(files);
    const others = names.filter(
      (name) => !/^(dist\/(functions|workloads)\/[\w-]+\.js(\.map)?$|node_modules\/)/.test(name),
    );
    expect(others).toEqual(['LICENSE', 'THIRD-PARTY-LICENCES.txt', 'build.txt', 'host.json', 'package.json']);
    expect(names).toEqual(expect.arrayContaining(['dist/functions/main.js', 'dist/workloads/thread.js']));
    expect(names).toEqual([...names].sort());
    const packages = names.flatMap((name) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? []);
    const native = ['@img/colour', '@img/sharp-libvips-linux-x64', '@img/sharp-linux-x64', 'detect-libc', 'semver'];
    expect([...new Set(packages)]).toEqual([...native, 'sharp']);
  });

  it('contains the source maps of the files with workloads, without the sources', () => {
    const maps = Object.entries(files)
      .filter(([name]) => /^dist\/.*\.map$/.test(name))
      .map(([, bytes]) => JSON.parse(strFromU8(bytes)) as { sources: string[]; sourcesContent?: unknown });
    expect(maps.length).toBeGreaterThan(0);
    for (const { sources, sourcesContent } of maps) {
      expect(sources.some((source) => source.startsWith('../../workloads/'))).toBe(true);
      expect(sourcesContent).toBeUndefined();
    }
  });

  it('contains every module of this repository once, from its sources', async () => {
    const { inputs } = await bundle({ root: ROOT, outDir: join(folder, 'bundle') });
    const own = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/') && !path.includes(':'));
    expect(own).toContain('shared/pipeline.ts');
    expect(own).toContain('workloads/billing.ts');
    expect(own.filter((path) => path.startsWith('dist/'))).toEqual([]);
    const names = own.map((path) => path.replace(/^dist\//, '').replace(/\.[jt]sx?$/, ''));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('contains no development dependencies, local stack or settings', () => {
    const text = Object.entries(files)
      .filter(([name]) => !name.startsWith('node_modules/'))
      .map(([, bytes]) => strFromU8(bytes))
      .join('\n');
    for (const trace of [
      '// packages/',
      '// demo/',
      '// tests/',
      'node_modules/azurite/',
      'node_modules/vitest/',
      'SAS_KEY_VALUE',
    ]) {
      expect(text.includes(trace) ? trace : undefined).toBeUndefined();
    }
  });

  it('declares its entry, and contains the licence of every package in it', () => {
    const about = JSON.parse(strFromU8(files['package.json'] ?? new Uint8Array())) as Record<string, unknown>;
    expect(about).toMatchObject({ type: 'module', main: 'dist/functions/main.js' });
    expect(about).not.toHaveProperty('devDependencies');
    const licences = strFromU8(files['THIRD-PARTY-LICENCES.txt'] ?? new Uint8Array());
    for (const name of ['@azure/functions', '@azure/service-bus', 'durable-functions', 'piscina', 'sharp', 'zod']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });
});

describe('the unpacked package on the local stack', () => {
  let stack: TestStack;
  let appFolder: string;

  beforeAll(async () => {
    appFolder = join(folder, 'app');
    for (const [name, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(appFolder, name)), { recursive: true });
      await writeFile(join(appFolder, name), bytes);
    }
    // Nothing listens there: it shows that the package loads its exporters.
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';
    stack = await startStack({ appFolder, settings: { SLUICE_THREADS: '1', OTEL_EXPORTER_OTLP_ENDPOINT } });
  });

  afterAll(async () => {
    await stack?.stop();
  });

  it('processes a batch to its report in its own worker threads', async () => {
    const body = [...usageBlocks({ items: ITEMS, seed: 7 })].join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    const accepted = await stack.api('workloads/billing/batches', { method: 'POST', headers, body });
    expect(accepted.status).toBe(202);
    const { id } = (await accepted.json()) as { id: string };

    const batch = await finished(stack, id);

    expect(batch.state).toMatch(/^completed/);
    const { accepted: all, succeeded, dead, pending } = batch.counts;
    expect(all).toBeGreaterThan(0);
    expect(succeeded).toBeGreaterThan(0);
    expect(succeeded + dead).toBe(all);
    expect(pending).toBe(0);

    const letters = await (await stack.api(`batches/${id}/dead-letters?format=json`)).json();
    const { groups } = letters as { groups: { reason: string; example: { error: { stack?: string[] } } }[] };
    const rejected = groups.find(({ reason }) => reason === 'rejected');
    const frame = rejected?.example.error.stack?.[0] ?? '';
    const [, file = '', line = 0] = /^\w+ \((workloads\/billing\/[\w-]+\.ts):(\d+):\d+\)$/.exec(frame) ?? [];
    expect((await readFile(join(ROOT, file), 'utf8')).split('\n')[Number(line) - 1]).toContain('throw new Reject(');
  });

  it('runs native packages, and provides storage to handlers', async () => {
    const file = join(folder, 'images.ndjson');
    const compare = await writeImages(file, { items: 3, seed: 7, storage: stack.storage });
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = await readFile(file, 'utf8');
    const accepted = await stack.api('workloads/media/batches', { method: 'POST', headers, body });
    const { id } = (await accepted.json()) as { id: string };

    const { state, counts } = await finished(stack, id);

    expect([state, counts.succeeded]).toEqual(['completed', 3]);
    expect((await compare({ counts, report: [] })).filter((line) => line.startsWith('thumbnails'))).toEqual([]);
  });

  it('contains every function of the app', async () => {
    const response = await fetch(`${stack.url}/admin/functions`, { headers: { 'x-functions-key': stack.keys.master } });
    const listed = (await response.json()) as { name: string }[];
    const names = listed.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(FUNCTIONS.map((line) => line.split(' ', 1)[0])));
    expect(names).toEqual(expect.arrayContaining(ROUTES.map(({ name }) => name)));
  });
});
