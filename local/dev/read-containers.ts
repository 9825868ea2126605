import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10_000;
const MARK = 'containers ';

/**
 * Reads the containers that the workloads of a copy declare, in a separate process, because code that this process has
 * loaded cannot be loaded again. Returns none if they cannot be loaded: the start of the app reports the reason.
 */
export async function readContainers(copy: string): Promise<string[]> {
  const url = pathToFileURL(join(copy, 'workloads/index.ts')).href;
  const script = `const { registry } = await import(${JSON.stringify(url)});
process.stdout.write('\\n${MARK}' + JSON.stringify(registry.containers) + '\\n', () => process.exit(0));`;
  try {
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS, cwd: copy });
    const line = stdout.split('\n').findLast((each) => each.startsWith(MARK)) ?? `${MARK}[]`;
    return JSON.parse(line.slice(MARK.length)) as string[];
  } catch {
    return [];
  }
}
