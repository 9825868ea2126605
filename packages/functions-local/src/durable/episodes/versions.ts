import type { DurableConfig } from '../config.ts';

const dottedNumber = /^\d+(\.\d+){1,3}$/;

/** Returns why an instance of this version must not run in an app with this configuration, or undefined if it can run. */
export function versionMismatch(version: string, config: DurableConfig): string | undefined {
  const current = config.defaultVersion;
  const text = `instance version '${version}', app version '${current}', versionMatchStrategy ${config.versionMatchStrategy}`;
  switch (config.versionMatchStrategy) {
    case 'None':
      return undefined;
    case 'Strict':
      return version === current ? undefined : `The orchestration version does not match: ${text}`;
    case 'CurrentOrOlder':
      return compareVersions(version, current) <= 0 ? undefined : `The orchestration version is newer: ${text}`;
    default:
      return config.versionMatchStrategy satisfies never;
  }
}

/** Orders versions as Azure does: empty first, dotted numbers by number, all others as text without case. */
export function compareVersions(left: string, right: string): number {
  if (left === '' || right === '') return Number(left !== '') - Number(right !== '');
  if (dottedNumber.test(left) && dottedNumber.test(right)) return compareParts(toParts(left), toParts(right));
  const [a, b] = [left.toUpperCase(), right.toUpperCase()];
  return a < b ? -1 : Number(a > b);
}

function toParts(version: string): number[] {
  return version.split('.').map(Number);
}

function compareParts(left: number[], right: number[]): number {
  for (let index = 0; index < 4; index++) {
    // A missing part counts as less than zero, as in System.Version: 1.0 is older than 1.0.0.
    const difference = (left[index] ?? -1) - (right[index] ?? -1);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
