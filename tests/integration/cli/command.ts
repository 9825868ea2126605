import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestStack } from '../../helpers/stack.ts';

/** The result of a run of the command. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Returns a function that runs the command as a separate process, in `folder`, against a stack. */
export function command(stack: Pick<TestStack, 'url' | 'keys'>, folder: string) {
  const main = join(import.meta.dirname, '../../../cli/sluice.ts');
  return async (
    args: string[],
    { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
  ): Promise<Ended> => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const known = { PATH, NODE_COMPILE_CACHE, SLUICE_URL: stack.url, SLUICE_KEY: stack.keys.function };
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { ...known, ...env } });
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
    ]);
    return { code, out, err };
  };
}
