import { satisfies, validRange } from 'semver';
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

/** Whether a version fits a range of npm. What is no range, such as a path or a tag, fits every version. */
export const fitsRange = (version: string, range: string): boolean =>
  validRange(range) === null || satisfies(version, range);
