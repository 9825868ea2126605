/**
 * Lets an invocation of `dequeue-batch` exceed functionTimeout on request: after its work, it does not end. The request is
 * a file, which the next invocation that ends takes.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { STALL_FILE } from './items.ts';

const { FAULT_CALLS_FOLDER: folder } = process.env;

if (isMainThread && folder !== undefined) {
  const { app } = await import('@azure/functions');
  app.hook.preInvocation((context) => {
    if (context.invocationContext.functionName !== 'dequeue-batch') return;
    const { functionHandler } = context;
    context.functionHandler = async (...args) => {
      const result = await functionHandler(...args);
      if (takesRequest(join(folder, STALL_FILE))) await new Promise(() => {});
      return result;
    };
  });
}

function takesRequest(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}
