import { describe, expect, it } from 'vitest';
import { batchSpending } from '../../../../../shared/cost/batch-operations.ts';
import { DURABLE_BACKENDS } from '../../../../../shared/cost/deployed.ts';
import { receipt } from '../../../../../shared/cost/receipt.ts';
import { readPriceSheet } from '../../../../../shared/cost/sheet.ts';
import { batchPrice } from '../../../../../tools/cost/model/batch-price.ts';
import { shapeOf } from '../../../../../tools/cost/model/month-parameters.ts';

const sheet = readPriceSheet('2026');

describe.each(DURABLE_BACKENDS)('a batch alone on %s', (backend) => {
  it.each([1, 100, 10_000, 1_000_000])('of %i items costs the same in the model and on its receipt', (items) => {
    const shape = shapeOf(items, { chunk: 5_000, secondsPerChunk: 0.1 });
    const model = batchPrice(shape, { backend, memoryMb: 2_048 }, sheet);
    const operations = batchSpending(shape);

    const { totalUsd, storageOperations, actions, executions } = receipt({ operations, items, backend }, sheet);

    expect(totalUsd).toBeCloseTo(model.usd ?? Number.NaN, 12);
    expect(storageOperations).toBe(model.storageOperations + model.hostOperations);
    expect([actions, executions.count, executions.gbSeconds]).toEqual([
      model.actions,
      model.executions,
      model.gbSeconds,
    ]);
  });
});
