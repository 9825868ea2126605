import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from 'functions-local';
import { findCommand } from './find-command.ts';
import { launchServer, type Server } from './server.ts';

/** Debian installs the server commands here, outside of PATH. */
const DEBIAN = '/usr/lib/postgresql';
/**
 * The data exists only during the run, like Azurite's in memory, so no client waits for a disk. The memory settings are
 * those of a small server.
 */
const SETTINGS = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  ...{ shared_buffers: '512MB', work_mem: '32MB', max_wal_size: '4GB', max_connections: '200' },
};

/**
 * Starts PostgreSQL with a new database. Returns undefined if it is not installed, or if root has no user `postgres`.
 */
export async function startPostgres(): Promise<Server | undefined> {
  const folders = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const command = findCommand('postgres', folders);
  const initdb = findCommand('initdb', folders);
  const user = postgresUser();
  if (command === undefined || initdb === undefined || user === null) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (user) await chown(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const init = ['-D', data, '-U', 'bench', '--auth', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'];
    await promisify(execFile)(initdb, init, { ...user, cwd: folder });
    const port = await freePort();
    const network = ['-h', '127.0.0.1', '-p', String(port), '-k', ''];
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', data, ...network, ...settings];
    const { pid, stop } = await launchServer({ command, args, user, ready: 'ready to accept connections' });
    return { url: `postgres://bench@127.0.0.1:${port}/postgres`, pid, stop: () => stop().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Returns the user to run as, because PostgreSQL refuses to run as root. Undefined means the current user; null means
 * root without a user `postgres`.
 */
function postgresUser(): { uid: number; gid: number } | null | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}
