import type { Amount, WorkloadPlan } from './plan.ts';
import { propertyName, quoted } from './source-text.ts';

/** Returns the text of a new workload, which runs unchanged and has a comment on each part that should be adapted. */
export const workloadText = (name: string, plan: WorkloadPlan): string =>
  `
import { setTimeout as sleep } from 'node:timers/promises';
import { defineWorkload, type ItemContext${guards(plan) ? ', Reject' : ''} } from 'sluice';
import { z } from 'zod';

/**
 * ${plan.origin.replaceAll('*/', '* /')}
 * A record that does not match becomes a dead letter with the reason "invalid"; other records continue.
 */
const item = ${plan.schema};
type Item = z.infer<typeof item>;

/**
 * TODO: call your service instead of sleeping. Pass both arguments: a repeated call has the same key, and the signal aborts
 * when the item times out or its batch is cancelled.
 * fetch(url, { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, signal })
 */
async function callService(_item: Item, { idempotencyKey, signal }: ItemContext): Promise<{ receipt: string }> {
  await sleep(1, undefined, { signal });
  return { receipt: idempotencyKey };
}

/** TODO: describe item → result → report. */
export default defineWorkload({
  name: '${name}',
  // Increase it when the meaning of items or results changes: batches and dead letters contain it.
  version: 1,
  item,
  // Runs at least once per item, in a worker thread. Its side effects must be idempotent.
  map: async (item, context) => {
    // ${guards(plan) ? 'Reject makes the item' : "throw new Reject('…') makes the item"} a dead letter immediately.
    // After new Retry(…) or any other error, the item is tried again: 5 attempts in total, or as \`retry\` defines.
    ${guardText(plan.amount)}
    const { receipt } = await callService(item, context);
    return { ...item, receipt };
  },
  // Concurrent items per thread: calls per second × seconds per call, divided by threads and instances.
  concurrency: 16,
  ${reduceText(plan)}
  // A chunk should take some seconds: items × seconds per call / concurrency. It runs again as a whole after a crash.
  chunk: { maxItems: 500 },
  // Batches that users wait for, and large ones that may wait.
  lanes: ['normal', 'bulk'],
  lane: (batch) => (batch.items > 50_000 ? 'bulk' : 'normal'),
  // From acceptance to report. A missed deadline is logged and raises an alert.
  deadlineSeconds: 300,
});
`.trimStart();

const guards = ({ amount }: WorkloadPlan): boolean => amount?.isNeverNegative === true;

const guardText = (amount: Amount | undefined): string =>
  amount?.isNeverNegative
    ? `if (${amount.of('item')} < 0) throw new Reject(\`Expected an amount of zero or more, got \${${amount.of('item')}}.\`);`
    : '';

function reduceText({ key, amount }: WorkloadPlan): string {
  const keyText = key ? `(result) => ${key.of('result')}` : "() => 'all'";
  const comment = `// The report has one row per key. Without reduce, a batch has only results.
  // TODO: check that ${key ? `${quoted(key.field)} is the key` : 'one row for all items is right'}${amount ? ` and ${quoted(amount.field)} the amount` : ''}.`;
  if (amount === undefined)
    return `${comment}
  reduce: {
    key: ${keyText},
    init: () => ({ count: 0 }),
    add: (total) => ({ count: total.count + 1 }),
    // Chunks finish in any order, so merge(a, b) must equal merge(b, a). The result must be JSON.
    merge: (a, b) => ({ count: a.count + b.count }),
  },`;
  const { scale } = amount;
  const scaled = scale === 1 ? amount.of('result') : `Math.round(${amount.of('result')} * ${scale})`;
  const back = scale === 1 ? 'amount' : `amount: amount / ${scale}`;
  const average = scale === 1 ? 'amount / count' : `amount / count / ${scale}`;
  return `${comment}
  reduce: {
    key: ${keyText},
    init: () => ({ count: 0, amount: 0 }),
    ${
      scale === 1
        ? ''
        : `// In integer multiples of ${1 / scale}: sums of floats depend on the order in which chunks finish.
    `
    }add: (total, result) => ({ count: total.count + 1, amount: total.amount + ${scaled} }),
    // Chunks finish in any order, so merge(a, b) must equal merge(b, a). The result must be JSON.
    merge: (a, b) => ({ count: a.count + b.count, amount: a.amount + b.amount }),
    // Called once per key, after the last merge.
    finish: (_key, { count, amount }) => ({ count, ${back}, average: ${average} }),
  },`;
}

/** Returns the text of the test of a new workload. `workloads` is the path from the test to the folder of workloads. */
export function testText(name: string, plan: WorkloadPlan, workloads: string): string {
  const rejected = guards(plan) ? [`{ ...records[0], ${propertyName(plan.amount?.field ?? '')}: -1 }`] : [];
  const invalid = plan.isEmptyInvalid ? ['{}'] : [];
  const dead = [...rejected.map(() => 'rejected'), ...invalid.map(() => 'invalid')];
  const items = ['...records', ...rejected, ...invalid].join(', ');
  return `import { runWorkload } from 'sluice/testing';
import { expect, it } from 'vitest';
import workload from '${workloads}/${name}.ts';

const records = ${JSON.stringify(plan.records)};

it('${name} turns records into results, dead letters and a report', async () => {
  const { results, deadLetters, report } = await runWorkload(workload, [${items}]);
  expect(results).toMatchObject(records);
  expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual(${JSON.stringify(dead.map((reason, index) => [plan.records.length + index, reason]))});
  expect(report).toEqual(${JSON.stringify(reportOf(plan))});
});
`;
}

/** Computes the report of the records with the same steps as the reduce of the template. */
function reportOf({ records, key, amount }: WorkloadPlan): Record<string, unknown> {
  const totals = new Map<string, { count: number; amount: number }>();
  for (const record of records) {
    const name = key ? key.valueOf(record) : 'all';
    const total = totals.get(name) ?? { count: 0, amount: 0 };
    const value = Number(amount === undefined ? 0 : (record[amount.field] ?? 0));
    const added = amount && amount.scale !== 1 ? Math.round(value * amount.scale) : value;
    totals.set(name, { count: total.count + 1, amount: total.amount + added });
  }
  return Object.fromEntries([...totals].map(([name, total]) => [name, finished(total, amount)]));
}

function finished({ count, amount }: { count: number; amount: number }, scaled: Amount | undefined): unknown {
  if (scaled === undefined) return { count };
  const { scale } = scaled;
  return { count, amount: scale === 1 ? amount : amount / scale, average: amount / count / scale };
}
