export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the base of relative paths: npm runs scripts in the folder of the package, and passes the caller's folder in
 * INIT_CWD.
 */
export const callerFolder = (env: Environment, cwd: string): string =>
  ['sluice', 'new-workload'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD ? env.INIT_CWD : cwd;
