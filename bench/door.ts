/** `npm run bench -- --door`: how an instance answers others while it receives hostile inputs (tests/door). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from 'functions-local';
import { sluiceStack } from '../demo/stack.ts';
import { INPUTS } from '../tests/door/inputs/index.ts';
import { runInput } from '../tests/door/run-input.ts';
import { percentile } from './measures/percentile.ts';

const MB = 1_000_000;
/** Of the health route, on a machine without other work. */
const TARGET_MS = 250;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the answers of the health route and the peak memory for each input, on one stack. */
export async function runDoor(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-door-'));
  const stack = await startStack(sluiceStack(folder));
  const { url, keys, instances } = stack;
  const door = { url, keys, pid: () => instances[0].process.pid };
  try {
    const all: number[] = [];
    for (const input of INPUTS) {
      const { health, peakBytes } = await runInput(door, input);
      const times = health.map(({ milliseconds }) => milliseconds);
      all.push(...times);
      const [p99, most] = [percentile(times, 99), Math.max(...times)].map((ms) => ms.toFixed(0));
      print(`${input.name}: health p99 ${p99} ms, at most ${most} ms; peak ${(peakBytes / MB).toFixed(0)} MB`);
    }
    const p99 = percentile(all, 99);
    print(
      `all inputs: health p99 ${p99.toFixed(0)} ms, target ${TARGET_MS} ms: ${p99 <= TARGET_MS ? 'met' : 'missed'}`,
    );
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
