/** Imported first by every entry of the package: an older Node gets one clear line instead of a missing function later on. */

/** As `engines` in package.json says. */
const NEEDED = [22, 15] as const;

/** What is wrong with a Node of this version; undefined when it is new enough. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  return isEnough ? undefined : `functions-local needs Node.js ${NEEDED.join('.')} or newer; this is ${version}.`;
}

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) throw new Error(problem);
