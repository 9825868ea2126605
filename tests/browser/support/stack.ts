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

/** Starts one stack for all files: it takes seconds to start, and each file uses queues and batches of its own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack();
  const { url, keys, storage } = stack;
  // An app reads policies once per minute with uploads: this one has to be there before the first.
  const { policy } = (await (await stack.api(`queues/${QUIET}/policy`)).json()) as { policy: object };
  const body = JSON.stringify({ ...policy, notifyFrom: 1_000 });
  await stack.api(`queues/${QUIET}/policy`, { method: 'PUT', body });
  provide('stack', { url, keys, storage });
  return () => stack.stop();
}
