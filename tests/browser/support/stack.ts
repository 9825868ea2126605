import type { TestProject } from 'vitest/node';
import { startStack } from '../../helpers/stack.ts';
import type { SharedStack } from './dashboard.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: SharedStack;
  }
}

/** A queue that small uploads do not wake. */
export const QUIET = 'payouts-high-0';

/** Starts one stack for all files, because a start takes seconds. Each file uses separate queues and batches. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack();
  const { url, keys, storage } = stack;
  // An app reads policies at most once per minute during uploads, so this policy must exist before the first one.
  const { policy } = (await (await stack.api(`queues/${QUIET}/policy`)).json()) as { policy: object };
  const body = JSON.stringify({ ...policy, notifyFrom: 1_000 });
  await stack.api(`queues/${QUIET}/policy`, { method: 'PUT', body });
  provide('stack', { url, keys, storage });
  return () => stack.stop();
}
