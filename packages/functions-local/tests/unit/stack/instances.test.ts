import { beforeEach, describe, expect, it } from 'vitest';
import { TIMED_OUT_EXIT_CODE } from '../../../src/host/errors.ts';
import { createInstance, type Instance } from '../../../src/stack/instances.ts';
import type { ProcessEnd, RunningProcess } from '../../../src/stack/process/process.ts';

/** A host that starts when `ready` is called, and never if its start is cancelled. */
class Child {
  readonly #started = Promise.withResolvers<RunningProcess<string>>();
  readonly #ended = Promise.withResolvers<ProcessEnd>();

  readonly started = this.#started.promise;

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#started.reject(signal.reason));
  }

  ready(): void {
    const asked = () => this.#end(true);
    const process = { ended: this.#ended.promise, stop: asked, kill: asked, describe: () => 'It crashed' };
    this.#started.resolve(process as unknown as RunningProcess<string>);
  }

  crash(code = 1): void {
    void this.#end(false, code);
  }

  #end(expected: boolean, code = 1): Promise<ProcessEnd> {
    this.#ended.resolve({ code, signal: null, expected });
    return this.#ended.promise;
  }
}

let children: Child[];
let messages: string[];
let deaths: string[];
let instance: Instance;
const create = (restart: boolean): Instance =>
  createInstance({
    ...{ name: 'host-1', port: 1, restart, graceMs: 1 },
    onDeath: (message) => void deaths.push(message),
    onMessage: (message) => void messages.push(message),
    launch: (signal) => {
      const child = new Child(signal);
      children.push(child);
      return child.started;
    },
  });
beforeEach(() => {
  children = [];
  messages = [];
  deaths = [];
  instance = create(true);
});

describe('an instance that is starting', () => {
  it.each(['kill', 'drain'] as const)('is ended immediately by %s', async (end) => {
    const starting = expect(instance.start()).rejects.toThrow('host-1 was ended while it started');
    await instance[end]();
    await starting;
    expect(instance.state).toBe('down');
  });

  it('can be started again while it ends', async () => {
    const first = expect(instance.start()).rejects.toThrow();
    const ending = instance.kill();
    const second = instance.start();
    await Promise.all([first, ending]);
    await expect.poll(() => children).toHaveLength(2);
    children[1]?.ready();
    await second;
    expect(instance.state).toBe('running');
  });

  it('is also ended if it becomes ready at that moment', async () => {
    const starting = instance.start();
    children[0]?.ready();
    await Promise.all([starting, instance.drain()]);
    expect(instance.state).toBe('down');
  });

  it('does not announce a restart if it is ended during one', async () => {
    const starting = instance.start();
    children[0]?.ready();
    await starting;
    children[0]?.crash();
    await expect.poll(() => children).toHaveLength(2);
    await instance.drain();
    expect(messages).toEqual(['It crashed\nhost-1 will be restarted in 1 s']);
    expect(instance.state).toBe('down');
  });
});

describe('an instance', () => {
  it('that terminates unexpectedly is reported and stays down without restart', async () => {
    const alone = create(false);
    const starting = alone.start();
    children[0]?.ready();
    await starting;
    children[0]?.crash();
    await expect.poll(() => deaths).toEqual(['It crashed']);
    expect([alone.state, messages]).toEqual(['down', []]);
  });

  it('whose process ends because of functionTimeout gets a new one without delay, even without restart', async () => {
    const alone = create(false);
    const starting = alone.start();
    children[0]?.ready();
    await starting;
    children[0]?.crash(TIMED_OUT_EXIT_CODE);
    await expect.poll(() => alone.state).toBe('starting');
    children[1]?.ready();
    await expect.poll(() => messages.at(-1)).toBe('host-1 is running again');
    expect(deaths).toEqual([]);
  });

  it('that is down ignores freeze and thaw', () => {
    instance.freeze();
    expect(instance.state).toBe('down');
    instance.thaw();
    expect(instance.state).toBe('down');
  });
});
