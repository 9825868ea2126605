import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../cli/version.ts';

/** Whether the app in `root` is a checkout of this package, whose modules are its sources instead of its build. */
export const isCheckout = (root: string): boolean =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name?: string }).name === 'sluice';

/** Returns the path of one of this package's modules, given by that of its source, as the app in `root` runs it. */
export const moduleOf = (root: string, source: string): string =>
  isCheckout(root) ? join(root, source) : join(packageRoot(), 'dist', source.replace(/\.ts$/, '.js'));
