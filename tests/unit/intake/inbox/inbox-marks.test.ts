import { expect, it } from 'vitest';
import { InboxMarks } from '../../../../shared/intake/inbox/inbox-marks.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

it('reads the marks again for the next file if a read failed', async () => {
  const { table } = memoryTable();
  const file = { name: 'plain/a.ndjson', etag: '0x1' };
  await new InboxMarks(table).add(file, { batch: 'b1' });
  let reads = 0;
  const failingOnce = new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'listEntities') return value;
      return (...args: unknown[]) => {
        reads += 1;
        if (reads === 1) throw serviceError(503);
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const marks = new InboxMarks(failingOnce);

  await expect(marks.find(file)).rejects.toMatchObject({ statusCode: 503 });

  expect(await marks.find(file)).toEqual({ batch: 'b1' });
});
