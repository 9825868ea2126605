import { defineReadonly } from '../app/hook-context.ts';
import type { Registry } from '../app/registry.ts';
import type { HostLog } from '../log/host-log.ts';
import type { LogCategory, LogLevel } from '../worker-protocol.ts';

/** What a log entry of one invocation belongs to. */
export interface LogScope {
  functionName: string;
  hookData: Record<string, unknown>;
  /** Known once the model has made it. */
  invocationContext: object | undefined;
}

/** The `log` of one invocation: entries pass the app's log hooks, which may change level and text, then the filter. */
export function createInvocationLog(registry: Registry, log: HostLog, scope: LogScope) {
  return (level: LogLevel, category: LogCategory, message: string): void => {
    const entry = { level, message };
    if (registry.hooks.log.length > 0) runHooks(registry, scope, entry, category);
    const name = `Function.${scope.functionName}`;
    log.write(entry.level, category === 'user' ? `${name}.User` : 'Worker', entry.message);
  };
}

function runHooks(registry: Registry, scope: LogScope, entry: object, category: LogCategory): void {
  const context = defineReadonly(entry, {
    hookData: scope.hookData,
    appHookData: registry.appHookData,
    invocationContext: scope.invocationContext,
    category,
  });
  for (const hook of registry.hooks.log) hook(context);
}
