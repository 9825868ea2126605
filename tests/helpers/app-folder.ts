import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Makes `folder` the folder of an app with the workloads of this repository. */
export function writeAppFolder(folder: string): void {
  mkdirSync(join(folder, 'workloads'), { recursive: true });
  writeFileSync(join(folder, 'host.json'), '{}');
  writeFileSync(join(folder, 'workloads/index.ts'), `export { registry } from '${ROOT}/workloads/index.ts';\n`);
}
