import type { StackOptions } from 'functions-local';
import { registry } from '../workloads/index.ts';
import { type AppNeeds, ROOT, stackOptions } from './stack-options.ts';

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
