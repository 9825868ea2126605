import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux counts the CPU time of a process in these units, independent of the kernel's own tick. Source: man 5 proc. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds that a process and its threads have used so far, user and system. */
export async function cpuSeconds(pid: number): Promise<number> {
  try {
    const { utime, stime } = await readStat(pid);
    return (utime + stime) / TICKS_PER_SECOND;
  } catch {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'cputime=', '-p', String(pid)]);
    return stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0);
  }
}

/** Returns the CPU seconds of a process and its children, including ended ones. Undefined if there is no /proc. */
export async function familyCpuSeconds(pid: number): Promise<number | undefined> {
  const own = await readStat(pid).catch(() => undefined);
  if (own === undefined) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map((each) => readStat(each).catch(() => undefined)));
  const children = all.filter((each) => each?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + (child ? child.utime + child.stime : 0), own.utime + own.stime);
  return (ticks + own.endedChildren) / TICKS_PER_SECOND;
}

interface Stat {
  parent: number;
  utime: number;
  stime: number;
  /** Of children that have ended and were waited for. */
  endedChildren: number;
}

async function readStat(pid: number): Promise<Stat> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses, which may contain any character. The parent is the 4th field, and utime,
  // stime, cutime and cstime are the 14th to the 17th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { parent: field(4), utime: field(14), stime: field(15), endedChildren: field(16) + field(17) };
}
