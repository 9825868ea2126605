/** The variables of the process, as they are handed around. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What relative files are relative to: npm runs scripts in the package's folder, and says where it was called. */
export const callerFolder = (env: Environment, cwd: string): string =>
  ['sluice', 'new-workload'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD ? env.INIT_CWD : cwd;
