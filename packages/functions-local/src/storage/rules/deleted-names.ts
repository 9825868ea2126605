/** Names of deleted queues, tables and containers, which Azure reserves for a while and Azurite releases immediately. */

import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import { tableNameIn } from '../tables/table-rules.ts';
import type { Refusal } from './refusal.ts';

/**
 * Source: Microsoft Learn, delete-queue3, delete-container, delete-table. At least 30 s for queues and containers, about 40 s
 * for tables.
 */
const KINDS: Readonly<Partial<Record<Operation, { kind: string; ms: number; deletes: boolean }>>> = {
  'delete-queue': { kind: 'Queue', ms: 30_000, deletes: true },
  'create-queue': { kind: 'Queue', ms: 30_000, deletes: false },
  'delete-container': { kind: 'Container', ms: 30_000, deletes: true },
  'create-container': { kind: 'Container', ms: 30_000, deletes: false },
  'delete-table': { kind: 'Table', ms: 40_000, deletes: true },
  'create-table': { kind: 'Table', ms: 40_000, deletes: false },
};

/** Records deletions across the calls of all clients, with the clock of the calling client. */
export interface DeletedNames {
  /** Returns why a creation is refused, or undefined. */
  refusal(request: Request, nowMs: number): Refusal | undefined;
  /** Records a deletion that the service executed. */
  done(request: Request, nowMs: number): void;
}

export function createDeletedNames(): DeletedNames {
  const freeAt = new Map<string, number>();
  return {
    refusal: (request, nowMs) => {
      const created = KINDS[request.operation];
      const name = request.operation === 'create-table' ? tableNameIn(request.body) : request.resource;
      if (created === undefined || created.deletes || name === undefined) return undefined;
      const key = keyOf(created.kind, request.account, name);
      if ((freeAt.get(key) ?? 0) <= nowMs) {
        freeAt.delete(key);
        return undefined;
      }
      const message = `The specified ${created.kind.toLowerCase()} is being deleted. Try operation later.`;
      return { rule: 'name-being-deleted', status: 409, code: `${created.kind}BeingDeleted`, message };
    },
    done: ({ operation, account, resource = '' }, nowMs) => {
      const deleted = KINDS[operation];
      if (!deleted?.deletes) return;
      for (const [key, atMs] of freeAt) if (atMs <= nowMs) freeAt.delete(key);
      freeAt.set(keyOf(deleted.kind, account, resource), nowMs + deleted.ms);
    },
  };
}

/** Names of tables are compared without case. Other names have no upper-case letters. */
const keyOf = (kind: string, account: string, name: string): string => `${kind} ${account} ${name.toLowerCase()}`;
