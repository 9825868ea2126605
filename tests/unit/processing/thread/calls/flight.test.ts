import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Flight } from '../../../../../shared/processing/thread/calls/flight.ts';

const wait = (timeoutMs: number, peers = new Set<Flight>()) => ({ timeoutMs, peers });

/** Keeps the thread busy, as the handler of another item may. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('a call in flight', () => {
  it('is one of its peers while it is awaited', async () => {
    const peers = new Set<Flight>();
    const flight = new Flight();
    const work = flight.within(sleep(5, 'done'), wait(1_000, peers));
    expect(peers.has(flight)).toBe(true);
    expect(await work).toBe('done');
    expect([peers.size, flight.isAborted]).toEqual([0, false]);
  });

  it('is cancelled after its time, and its signal is aborted, even if it is read later', async () => {
    const flight = new Flight();
    await expect(flight.within(new Promise(() => {}), wait(20))).rejects.toThrow('timed out after 0.02 s');
    expect(flight.isAborted).toBe(true);
    expect(flight.signal.aborted).toBe(true);
  });

  it('gets more time if another item blocked the thread', async () => {
    const work = new Flight().within(sleep(80, 'done'), wait(50));
    block(300);
    expect(await work).toBe('done');
  });

  it('is still awaited after a stop', async () => {
    const flight = new Flight();
    const work = flight.within(sleep(20, 'done'), wait(1_000));
    flight.stop();
    expect([flight.isStopped, flight.signal.aborted]).toEqual([true, true]);
    expect(await work).toBe('done');
  });
});

describe('an error that no code awaited', () => {
  it('belongs to the call when that is alone', async () => {
    const flight = new Flight();
    const work = flight.within(new Promise(() => {}), wait(1_000));
    expect(flight.takeUnhandled(new Error('mine'))).toBe(true);
    await expect(work).rejects.toThrow('mine');
    expect(flight.isSetAside(new Error('mine'))).toBe(false);
  });

  it('sets the call aside when others are in flight, with an error of this call only', async () => {
    const peers = new Set<Flight>();
    const [one, two] = [new Flight(), new Flight()];
    const first = one.within(new Promise(() => {}), wait(1_000, peers));
    const second = two.within(sleep(10), wait(1_000, peers));
    one.takeUnhandled(new Error('somebody’s'));
    const thrown = await first.catch((error: unknown) => error);
    expect([one.isSetAside(thrown), two.isSetAside(thrown)]).toEqual([true, false]);
    await second;
  });

  it('belongs to no call when its call has ended', async () => {
    const flight = new Flight();
    await flight.within(sleep(1), wait(1_000));
    expect(flight.takeUnhandled(new Error('late'))).toBe(false);
  });
});
