import { expect, it } from 'vitest';
import { createSlots, NoSlotError } from '../../shared/slots.ts';

it('runs as many calls as there are slots, and the others in the order of their arrival', async () => {
  const slots = createSlots(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const works = ends.map(({ promise }, i) =>
    slots.run(() => {
      begun.push(i);
      return promise;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  expect([slots.idle, slots.waiting]).toEqual([0, 2]);
  ends[1]?.resolve();
  await works[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.all(works);
  expect([slots.idle, slots.waiting]).toEqual([2, 0]);
});

it('gives the slot of a failed call to the next one', async () => {
  const slots = createSlots(1);
  const failed = slots.run(() => Promise.reject(new Error('no')));
  const next = slots.run(async () => 'next');
  await expect(failed).rejects.toThrow('no');
  await expect(next).resolves.toBe('next');
  expect(slots.idle).toBe(1);
});

it('removes a call that has waited for too long, and never runs it', async () => {
  const slots = createSlots(1);
  const first = Promise.withResolvers<void>();
  const running = slots.run(() => first.promise);
  let ran = false;
  const late = slots.run(
    async () => {
      ran = true;
    },
    { maxWaitMs: 5 },
  );
  await expect(late).rejects.toThrow(NoSlotError);
  expect(slots.waiting).toBe(0);
  first.resolve();
  await running;
  expect([slots.idle, ran]).toEqual([1, false]);
});

it('lets a call wait until as many slots are free as it needs, and the others behind it', async () => {
  const slots = createSlots(2);
  const begun: string[] = [];
  const ends = { a: Promise.withResolvers<void>(), both: Promise.withResolvers<void>() };
  const a = slots.run(() => ends.a.promise);
  const both = slots.run(
    () => {
      begun.push('both');
      return ends.both.promise;
    },
    { needed: 2 },
  );
  const b = slots.run(async () => void begun.push('b'));
  expect([slots.idle, slots.waiting]).toEqual([1, 2]);
  ends.a.resolve();
  await a;
  await Promise.resolve();
  expect([begun, slots.idle]).toEqual([['both'], 0]);
  ends.both.resolve();
  await Promise.all([both, b]);
  expect([begun, slots.idle]).toEqual([['both', 'b'], 2]);
});
