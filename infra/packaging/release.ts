/** Checks the requirements of a release: the same version in all files, and a section in the changelog. */

/** The packages that are released beside the app, by their folders in packages/. */
export const RELEASED = ['convert', 'create-sluice', 'functions-local'] as const;

/** The texts of the files that a release depends on. */
export interface ReleaseFiles {
  /** package.json of the app. */
  app: string;
  /** package.json of each package that is released beside the app, by its folder in packages/. */
  packages: Readonly<Record<string, string>>;
  azureYaml: string;
  changelog: string;
}

/**
 * Returns the notes of the release of `tag`: its section of the changelog, without the heading.
 * @throws Error that lists all differences between tag, files and changelog.
 */
export function releaseNotes(tag: string, files: ReleaseFiles): string {
  const app = JSON.parse(files.app) as { version: string; devDependencies: Record<string, string> };
  const found = {
    'package.json': app.version,
    ...Object.fromEntries(Object.entries(files.packages).flatMap(([folder, text]) => versionsOf(app, folder, text))),
    'azure.yaml': /^ {2}template: sluice@(\S+)$/m.exec(files.azureYaml)?.[1],
  };
  const version = tag.replace(/^v/, '');
  const problems = Object.entries(found)
    .filter(([, other]) => other !== version)
    .map(([file, other]) => `${file}: expected version ${version}, got ${other ?? 'none'}`);
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) problems.unshift(`expected a tag such as v1.2.3, got "${tag}"`);
  const notes = sectionOf(files.changelog, version);
  if (notes === undefined) problems.push(`CHANGELOG.md: expected a section "## ${version}", with text`);
  if (notes === undefined || problems.length > 0) throw new Error(problems.join('\n'));
  return notes;
}

function versionsOf(
  { devDependencies }: { devDependencies: Record<string, string> },
  folder: string,
  text: string,
): [string, string | undefined][] {
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  const own: [string, string] = [`packages/${folder}/package.json`, version];
  // Nothing here depends on create-sluice.
  if (!(name in devDependencies)) return [own];
  return [[`the dependency ${name} in package.json`, devDependencies[name]], own];
}

/** Returns the text below the heading of a version; undefined if there is none. */
function sectionOf(changelog: string, version: string): string | undefined {
  const section = changelog.split(/^## /m).find((text) => text.split('\n', 1)[0] === version);
  return section?.slice(version.length).trim() || undefined;
}
