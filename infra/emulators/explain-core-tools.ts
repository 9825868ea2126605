const INSTALL = `Install Azure Functions Core Tools 4, for example with
  npm install --global azure-functions-core-tools@4
Without it: npm start (docs/local.md).`;

/** Returns what to do if the output of `func --version` (undefined: not found) is not that of version 4. */
export function explainCoreTools(version: string | undefined): string | undefined {
  if (version === undefined) return `The command func was not found. ${INSTALL}`;
  return version.startsWith('4.') ? undefined : `func is version ${version.trim() || 'unknown'}. ${INSTALL}`;
}
