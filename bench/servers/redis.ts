import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from 'functions-local';
import { findCommand } from './find-command.ts';
import { launchServer, type Server } from './server.ts';

/** Starts Redis in memory, like Azurite: nothing is written to a disk. Returns undefined if it is not installed. */
export async function startRedis(): Promise<Server | undefined> {
  const command = findCommand('redis-server');
  if (command === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-redis-'));
  const port = await freePort();
  // Keys must never be evicted. Source: docs.bullmq.io/guide/going-to-production.
  const policy = ['--maxmemory-policy', 'noeviction'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const ready = 'Ready to accept connections';
  const { pid, stop } = await launchServer({ command, args: [...args, ...policy], ready }).catch(async (error) => {
    await remove();
    throw error;
  });
  return { url: `redis://127.0.0.1:${port}`, pid, stop: () => stop().finally(remove) };
}
