import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux counts a process's time in these, whatever the kernel's own tick (man 5 proc). */
const TICKS_A_SECOND = 100;

/** CPU seconds that a process and its threads have taken so far, user and system. */
export async function cpuSeconds(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may hold anything; utime and stime are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'cputime=', '-p', String(pid)]);
    return stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0);
  }
}
