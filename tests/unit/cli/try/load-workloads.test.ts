import { describe, expect, it } from 'vitest';
import { loadError } from '../../../../cli/try/load-workloads.ts';

describe('workloads that cannot be loaded', () => {
  it('are reported with file and line', () => {
    const frames = [
      'at check (file:///app/shared/workload/define.ts:230:11)',
      'at file:///app/workloads/orders.ts:12:16',
    ];
    const thrown = Object.assign(new Error('name must be …'), {
      stack: `Error: name must be …\n    ${frames.join('\n    ')}`,
    });
    expect(loadError(thrown).message).toBe(
      'The workloads cannot be loaded: /app/workloads/orders.ts:12: Error: name must be …',
    );
    const syntax = Object.assign(new SyntaxError('Unexpected token'), {
      stack:
        'file:///app/workloads/orders.ts:3\n  map: (\n       ^\n\nSyntaxError: Unexpected token\n    at compile (node:internal)',
    });
    expect(loadError(syntax).message).toContain('/app/workloads/orders.ts:3: SyntaxError: Unexpected token');
  });
});
