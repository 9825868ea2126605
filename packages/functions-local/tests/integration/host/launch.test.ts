import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/ports.ts';
import { FIRST_HOST, launchHost, logFile } from '../../../src/stack/parts.ts';
import { spawnHost } from '../../helpers/host-process.ts';

const appFolder = fileURLToPath(new URL('fixtures/settings-app', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'launch-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const seenBy = (output: string) => JSON.parse(/^app (\{.*\})$/m.exec(output)?.[1] ?? '{}');

describe("the app's process", () => {
  it('starts in the app folder with all local settings, NODE_OPTIONS included; settings that are set win, but for its name', async () => {
    const launch = { appFolder: relative(process.cwd(), appFolder), port: await freePort() };
    const host = await launchHost(folder, { ...launch, settings: { SIZE: 'large', WEBSITE_INSTANCE_ID: 'inherited' } });
    await host.stop();
    const output = await readFile(logFile(folder, FIRST_HOST), 'utf8');
    const seen = seenBy(output);
    expect(seen).toMatchObject({
      cwd: appFolder,
      preloaded: 'before the host',
      FLAVOUR: 'vanilla',
      SIZE: 'large',
      WEBSITE_INSTANCE_ID: FIRST_HOST,
    });
    expect(seen.heapMb).toBeLessThan(700);
    expect(output).toContain("Skipping 'SIZE' from local settings as it's already defined");
    expect(output).not.toContain("Skipping 'FLAVOUR'");
    expect(output).not.toContain("Skipping 'NODE_OPTIONS'");
  });

  it('is in the app folder also if the host is started directly', async () => {
    const host = await spawnHost({ appFolder: relative(process.cwd(), appFolder), stateDir: relative('.', folder) });
    await host.waitFor(/^Host started/m, 20_000);
    await host.stop();
    expect(seenBy(host.output())).toMatchObject({ cwd: appFolder, FLAVOUR: 'vanilla' });
  });
});
