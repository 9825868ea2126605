import { type App, type Finding, installedPackage } from './app.ts';

/** Packages of which app and package must use the same copy. */
const SHARED = ['functions-local', '@azure/functions', 'durable-functions', 'zod'];

/** Compares the versions of Node.js, of the package and of the packages that the app shares with it. */
export function checkVersions(app: App, nodeVersion: string): Finding[] {
  const { folder, packageManifest: wanted } = app;
  const file = 'package.json';
  const findings: Finding[] = [];
  const node = wanted.engines?.node ?? '*';
  if (!fitsRange(nodeVersion, node))
    findings.push({
      ...{ file: 'node', key: 'version', expected: node, found: nodeVersion, fix: `install Node.js ${node}` },
    });
  if (!app.isPackage) findings.push(...checkSluice(app));
  const ranges = { ...wanted.devDependencies, ...wanted.dependencies, ...wanted.peerDependencies };
  for (const name of SHARED) {
    const expected = ranges[name] ?? '*';
    const found = installedPackage(folder, name)?.version;
    const isNeeded =
      wanted.peerDependencies?.[name] !== undefined && wanted.peerDependenciesMeta?.[name]?.optional !== true;
    if (found === undefined ? isNeeded : !fitsRange(found, expected))
      findings.push({ file, key: name, expected, found: found ?? 'nothing', fix: `npm install "${name}@${expected}"` });
  }
  return findings;
}

function checkSluice({ folder, manifest, packageManifest }: App): Finding[] {
  const place = { file: 'package.json', key: 'dependencies.sluice' };
  const range = manifest.dependencies?.sluice;
  const found = installedPackage(folder, 'sluice')?.version ?? 'nothing';
  if (range === undefined)
    return [{ ...place, expected: 'a version of sluice', found: 'nothing', fix: 'npm install sluice' }];
  if (!fitsRange(found, range)) return [{ ...place, expected: range, found, fix: 'npm install' }];
  const running = `${packageManifest.version}`;
  if (found === running) return [];
  return [{ ...place, expected: `${found}, as installed`, found: `${running}, which runs`, fix: 'npx sluice doctor' }];
}

/** Whether a version fits a range of npm. A range without a version, such as a path or a tag, fits every version. */
export function fitsRange(version: string, range: string): boolean {
  const alternatives = range.replaceAll(/([<>=~^])\s+/g, '$1').split('||');
  return alternatives.some((all) =>
    all
      .trim()
      .split(/\s+/)
      .every((each) => fitsOne(version, each)),
  );
}

function fitsOne(version: string, comparator: string): boolean {
  const [, operator = '', bound] = /^([<>]=?|[=^~])?v?(\d+(?:\.\d+){0,2})(?:[.-].*)?$/.exec(comparator) ?? [];
  if (bound === undefined) return true;
  const [own, least] = [partsOf(version), partsOf(bound)];
  const at = least.findIndex((part, n) => part !== (own[n] ?? 0));
  const order = at < 0 ? 0 : (own[at] ?? 0) - (least[at] ?? 0);
  if (operator === '<') return order < 0;
  if (operator === '>') return order > 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>=') return order >= 0;
  // ^ fixes the parts up to the first that is not 0, and ~ the first two; without an operator, all parts are fixed.
  const firstSet = least.findIndex((part) => part > 0);
  const fixed = operator === '^' ? (firstSet < 0 ? least.length : firstSet + 1) : operator === '~' ? 2 : least.length;
  return order >= 0 && (at < 0 || at >= fixed);
}

const partsOf = (version: string): number[] =>
  version
    .replace(/[-+].*/, '')
    .split('.')
    .map(Number);
