import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const KiB = 1024;

/** Returns the peak memory of a process in bytes, or undefined if the system does not report it. */
export async function peakMemory(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return toBytes(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  } catch {
    return memoryNow(pid);
  }
}

/** macOS does not report the peak of another process. The value at the end is close, because a heap shrinks slowly. */
async function memoryNow(pid: number): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return toBytes(stdout.trim());
  } catch {
    return undefined;
  }
}

const toBytes = (kilobytes: string | undefined): number | undefined =>
  kilobytes === undefined ? undefined : Number(kilobytes) * KiB;
