import { defineReadonly } from '../app/hook-context.ts';
import type { Registry } from '../app/registry.ts';
import type { HostLog } from '../log/host-log.ts';
import type { LogCategory, LogLevel } from '../worker-protocol.ts';

/** The invocation to which a log entry belongs. */
export interface LogScope {
  functionName: string;
  hookData: Record<string, unknown>;
  /** Set when the programming model has created it. */
  invocationContext: object | undefined;
}

/**
 * Creates the `log` function of one invocation. Entries pass through the app's log hooks, which can change level and text,
 * and then through the filter.
 */
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
