import type { StackOptions } from 'functions-local';
import { type AppNeeds, stackOptions } from '../local/stack-options.ts';
import { registry } from '../workloads/index.ts';
import { ROOT } from './root.ts';

/** Creates the options of the local stack with the app in this folder. */
export const sluiceStack = (
  folder: string,
  overrides: Record<string, string> = {},
  instances = 1,
  subscriptions: AppNeeds['subscriptions'] = {},
): StackOptions => ({
  ...stackOptions(folder, { ...registry, subscriptions }, overrides, instances),
  appFolder: ROOT,
});
