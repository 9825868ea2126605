/**
 * Imported first by every entry point of the package. With an older Node, the user gets one clear message instead of an error
 * about a missing function.
 */

/** The same as `engines` in package.json. */
const NEEDED = [22, 15] as const;

/** Returns an error message if this version of Node is too old, otherwise undefined. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  return isEnough ? undefined : `functions-local: expected Node.js ${NEEDED.join('.')} or newer, got ${version}.`;
}

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) throw new Error(problem);
