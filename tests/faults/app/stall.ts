/**
 * Lets an invocation of `dequeue-batch` exceed functionTimeout on request: after its work, it does not end. The request is
 * a file; the next invocation that ends takes it by adding the id of its process to the name.
 */
import { renameSync } from 'node:fs';
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
    renameSync(file, `${file}.${process.pid}`);
    return true;
  } catch {
    return false;
  }
}
