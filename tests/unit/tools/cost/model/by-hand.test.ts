/**
 * Compares the output of the command with arithmetic that is written out here: with the prices of sheet 2026 and the
 * counts of the formula in docs/cost.md, "Operations of a batch", as literals. Sums agree within a millionth of a
 * dollar.
 */
import { describe, expect, it } from 'vitest';
import { runCost } from '../../../../../tools/cost/command/cost-command.ts';
import type { Backends } from '../../../../../tools/cost/model/backends.ts';
import type { IdleBill } from '../../../../../tools/cost/model/bill.ts';
import type { Month } from '../../../../../tools/cost/model/model.ts';

const DIGITS = 6;

/** USD per unit. */
const QUEUE = 0.004 / 10_000;
const BLOB_WRITE = 0.05 / 10_000;
const BLOB_READ = 0.004 / 10_000;
const BLOB_LIST = 0.05 / 10_000;
const BLOB_OTHER = 0.004 / 10_000;
const TABLE = 0.000_36 / 10_000;
const EVENT = 0.8 / 1_000_000;
const EXECUTION = 0.4 / 1_000_000;
const GB_SECOND = 0.000_026;
const ACTION = 0.003;
const BUS_FEE = 9.81;

interface Answer {
  idle: IdleBill;
  month: Month;
  backends: Backends;
}
const cost = (...args: string[]): Answer => JSON.parse(runCost(['--json', ...args], '2026')) as Answer;

/** Two pools, each with 2 durable queues that are read twice every 10 s. */
const POLLING = 2 * 2 * 2 * 8_640 * 30 * QUEUE;
/** Per pool and month, 2,880 sweeps and 4,320 scans of the inbox. */
const FIRINGS = 2 * (2_880 + 4_320);
const TIMERS =
  2 * (2_880 + 4 * 30) * TABLE +
  2 * 4_320 * BLOB_LIST +
  FIRINGS * (BLOB_WRITE + BLOB_READ + BLOB_OTHER) +
  FIRINGS * EXECUTION +
  FIRINGS * 2 * GB_SECOND;

describe('the idle bill, calculated manually,', () => {
  // The alert rules of infra/, 100 kB of logs per firing, two packages of 10 MB.
  const shared = 4 * 0.5 + 5 * 0.1 + FIRINGS * 0.000_1 * 2.3 + 0.02 * 0.0208;

  it('is the fee, polling, timers, alerts, logs and packages on Azure Storage', () => {
    const { idle } = cost();

    expect(idle.totalUsd).toBeCloseTo(BUS_FEE + POLLING + TIMERS + shared, DIGITS);
    expect(idle.totalUsd.toFixed(2)).toBe('17.33');
  });

  it('has no polling on the Durable Task Scheduler', () => {
    expect(cost('--backend', 'dts').idle.totalUsd).toBeCloseTo(BUS_FEE + TIMERS + shared, DIGITS);
  });

  it('decreases by the free grants: 14,400 executions, 28,800 GB-seconds, 5 metrics and 1.44 GB of logs are below them', () => {
    const { grantsUsd } = cost().idle;

    expect(grantsUsd).toBeCloseTo(14_400 * EXECUTION + 28_800 * GB_SECOND + 0.5 + 1.44 * 2.3, DIGITS);
  });

  it('has Premium, 9 endpoints and 5 zones in a private network', () => {
    const { idle } = cost('--private');

    expect(idle.totalUsd).toBeCloseTo(677.08 + POLLING + TIMERS + shared + 9 * 0.01 * 730 + 5 * 0.5, DIGITS);
  });

  it('includes always-ready instances', () => {
    const { idle } = cost('--always-ready', '1');

    expect(idle.totalUsd - cost().idle.totalUsd).toBeCloseTo(30 * 86_400 * 2 * 0.000_004, DIGITS);
  });
});

/**
 * One chunk, one round that collects it, one task, one block: 16 table, 5 queue and 4 blob operations, 4 events, 5
 * actions.
 */
const SMALL = 16 * TABLE + 5 * QUEUE + 3 * BLOB_WRITE + BLOB_READ;
/** 7 executions: 6 of one second, and a task of 1 s plus 2 ms of handler time, which is billed as 1.1 s; 2 GB each. */
const SMALL_EXECUTIONS = 7 * EXECUTION + (6 + 1.1) * 2 * GB_SECOND;
/** Per action, 3 queue and 2 table operations on Azure Storage. */
const durable = (actions: number) => ({ azureStorage: actions * (3 * QUEUE + 2 * TABLE), dts: actions * ACTION });
const SMALL_DURABLE = durable(5);
const LARGE_DURABLE = durable(10);
/**
 * 200 chunks, 7 rounds, 1 task, 3 blocks: 51 table, 435 queue, 205 blob write and 207 blob read operations, which are
 * the 898 operations of the formula; 19 events, 10 actions.
 */
const LARGE = 51 * TABLE + 435 * QUEUE + 205 * BLOB_WRITE + 207 * BLOB_READ;
/** 19 executions: 17 of one second, and 2 tasks of 20 s of handler time, plus 1 s for one and 1.5 s for the other. */
const LARGE_EXECUTIONS = 19 * EXECUTION + (17 + 21 + 21.5) * 2 * GB_SECOND;

describe.each(['azureStorage', 'dts'] as const)('work on %s, calculated manually:', (backend) => {
  /** While hosts run, 2 h per day: a get per durable queue every 2 s, and the lease of each pool every 10 s. */
  const busy = backend === 'dts' ? 0 : (4 * 2 * 3_600 * 30 * QUEUE) / 0.9 + (2 * 2 * 2 * 3_600 * 30 * TABLE) / 10;
  const design = BUS_FEE + (backend === 'dts' ? 0 : POLLING) + TIMERS + busy;

  it('a thousand small batches alone', () => {
    const { batch } = cost('--batches', '1', '--items', '100').backends[backend];
    const one = SMALL + 4 * EVENT + SMALL_EXECUTIONS + SMALL_DURABLE[backend];

    expect(batch.storageOperations).toBe(25);
    expect(1_000 * (batch.usd ?? 0)).toBeCloseTo(1_000 * one, DIGITS);
    expect((1_000 * (batch.usd ?? 0)).toFixed(2)).toBe(backend === 'dts' ? '15.39' : '0.40');
  });

  it('a month with a thousand small batches per day', () => {
    const { sluice } = cost('--backend', backend, '--batches', '1000', '--items', '100000').month;
    // 120,000 events and 2,160,000 reads of the scale controller are below the 13 million that the fee includes.
    const work = 30 * 1_000 * (SMALL + SMALL_EXECUTIONS + SMALL_DURABLE[backend]);

    expect(sluice.totalUsd).toBeCloseTo(design + work, DIGITS);
  });

  it('a million items in one batch', () => {
    const { batch } = cost('--batches', '1', '--items', '1000000').backends[backend];

    expect(batch.storageOperations).toBe(898);
    expect(batch.usd).toBeCloseTo(LARGE + 19 * EVENT + LARGE_EXECUTIONS + LARGE_DURABLE[backend], DIGITS + 3);
  });

  it('a month with a million items per day in one batch', () => {
    const { sluice } = cost('--backend', backend, '--batches', '1', '--items', '1000000').month;

    expect(sluice.totalUsd).toBeCloseTo(design + 30 * (LARGE + LARGE_EXECUTIONS + LARGE_DURABLE[backend]), DIGITS);
  });
});

describe('the backends, calculated manually,', () => {
  it('break even where the polling costs as much as the actions', () => {
    const { storageFromBatches } = cost('--batches', '1', '--items', '100').backends;
    const polling = POLLING + (4 * 2 * 3_600 * 30 * QUEUE) / 0.9 + (2 * 2 * 2 * 3_600 * 30 * TABLE) / 10;
    const dearer = SMALL_DURABLE.dts - SMALL_DURABLE.azureStorage;

    expect(storageFromBatches).toBe(Math.ceil(polling / dearer));
  });
});
