import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of this package: the checkout, or `node_modules/sluice` of an app. */
export const PACKAGE = dirname(String(findPackageJSON('.', import.meta.url)));

/** Whether the app in `root` is the checkout of this package, whose modules are its sources instead of its build. */
export const isCheckout = (root: string): boolean => root === PACKAGE;

/** Returns the path of one of this package's modules, given by that of its source, as the app in `root` runs it. */
export const moduleOf = (root: string, source: string): string =>
  isCheckout(root) ? join(root, source) : join(PACKAGE, 'dist', source.replace(/\.ts$/, '.js'));
