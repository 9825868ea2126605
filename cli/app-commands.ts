/** The commands that run in the folder of an app; local/commands.ts has their code. */
export const APP_COMMAND_TEXTS = {
  start: 'run the app of this folder on the local stack, and process a file',
  dev: 'the same, and apply each edit',
  'new-workload': 'create a workload and its test, from a sample of its items if there is one',
  package: 'create the deployable package of the app in out/',
} as const;

export const isAppCommand = (name: string): boolean => Object.hasOwn(APP_COMMAND_TEXTS, name);
