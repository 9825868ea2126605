import type { Amount, WorkloadPlan } from './plan.ts';
import { propertyName, quoted } from './source-text.ts';

/** The text of a new workload: one that runs as it is, with a line on each thing that is there to be changed. */
export const workloadText = (name: string, plan: WorkloadPlan): string =>
  `
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../shared/workload/define.ts';
${guards(plan) ? "import { Reject } from '../shared/workload/errors.ts';\n" : ''}
/**
 * ${plan.origin.replaceAll('*/', '* /')}
 * What does not fit is a dead letter, "invalid"; other records go on.
 */
const item = ${plan.schema};
type Item = z.infer<typeof item>;

/**
 * TODO: call your service instead of waiting, with both: a repeat has the same key; the signal aborts when the time of the
 * item is over or its batch is cancelled. fetch(url, { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, signal })
 */
async function callService(_item: Item, { idempotencyKey, signal }: ItemContext): Promise<{ receipt: string }> {
  await sleep(1, undefined, { signal });
  return { receipt: idempotencyKey };
}

/** TODO: what comes in → what comes out → what the report holds. */
export default defineWorkload({
  name: '${name}',
  // Increase it when the meaning of items or results changes: batches and dead letters carry it.
  version: 1,
  item,
  // Runs at least once for each item, in a worker thread. What it changes elsewhere has to be idempotent.
  map: async (item, context) => {
    // ${guards(plan) ? 'A' : "throw new Reject('…') makes a"} dead letter at once. new Retry(…), or any other error, is tried again: 5 times in all, or as \`retry\` says.
    ${guardText(plan.amount)}
    const { receipt } = await callService(item, context);
    return { ...item, receipt };
  },
  // Calls in flight per thread: calls per second × seconds per call, divided by threads and instances.
  concurrency: 16,
  ${reduceText(plan)}
  // A chunk should take some seconds: items × seconds per call / concurrency. It runs again as a whole when a process dies.
  chunk: { maxItems: 500 },
  // Batches for somebody who waits, and large ones that may take their time.
  lanes: ['normal', 'bulk'],
  lane: (batch) => (batch.items > 50_000 ? 'bulk' : 'normal'),
  // From acceptance to report; a breach is logged and alerted.
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
  const comment = `// The report: one row per key. Leave it out, and there are results only.
  // TODO: is ${key ? `${quoted(key.field)} the key` : 'one row for all items right'}${amount ? `, ${quoted(amount.field)} the amount` : ''}?`;
  if (amount === undefined)
    return `${comment}
  reduce: {
    key: ${keyText},
    init: () => ({ count: 0 }),
    add: (total) => ({ count: total.count + 1 }),
    // Chunks finish in any order: a with b has to be b with a, and what comes out has to be JSON.
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
        : `// In whole units of ${1 / scale}: sums of floats depend on the order in which chunks finish.
    `
    }add: (total, result) => ({ count: total.count + 1, amount: total.amount + ${scaled} }),
    // Chunks finish in any order: a with b has to be b with a, and what comes out has to be JSON.
    merge: (a, b) => ({ count: a.count + b.count, amount: a.amount + b.amount }),
    // Once per key, after the last merge.
    finish: (_key, { count, amount }) => ({ count, ${back}, average: ${average} }),
  },`;
}

/** The text of its test. */
export function testText(name: string, plan: WorkloadPlan): string {
  const rejected = guards(plan) ? [`{ ...records[0], ${propertyName(plan.amount?.field ?? '')}: -1 }`] : [];
  const invalid = plan.isEmptyInvalid ? ['{}'] : [];
  const dead = [...rejected.map(() => 'rejected'), ...invalid.map(() => 'invalid')];
  const items = ['...records', ...rejected, ...invalid].join(', ');
  return `import { expect, it } from 'vitest';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import workload from '../../../workloads/${name}.ts';

const records = ${JSON.stringify(plan.records)};

it('${name} turns records into results, dead letters and a report', async () => {
  const { results, deadLetters, report } = await runWorkload(workload, [${items}]);
  expect(results).toMatchObject(records);
  expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual(${JSON.stringify(dead.map((reason, index) => [plan.records.length + index, reason]))});
  expect(report).toEqual(${JSON.stringify(reportOf(plan))});
});
`;
}

/** What the template's reduce makes of the records, by the same steps. */
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
