import { ServiceBusClient } from '@azure/service-bus';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type InstancesStack, startInstances } from './fixture.ts';

const NAMES = ['host-1', 'host-2', 'host-3'];
/** host.json of the app. */
const VISIBILITY_MS = 2_000;
/** Long enough that an activity whose start was detected still runs when its instance is killed, also on a busy machine. */
const LONG_MS = 2_000;

let app: InstancesStack;
const output: string[] = [];
const warnings: string[] = [];
beforeAll(async () => {
  app = await startInstances({
    onHostOutput: (line) => void output.push(line),
    onHubWarning: (line) => void warnings.push(line),
  });
});
afterAll(() => app.stop());
afterEach(() => Promise.all(app.stack.instances.map((instance) => instance.start())));

const numbered = (word: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${word}-${n}`);
/** On a separate connection, which does not stay with an instance. */
const outcomeOf = async (statusUri: string) => {
  const answer = await fetch(statusUri, { headers: { connection: 'close' } });
  return (await answer.json()) as Record<string, unknown>;
};
const completes = (statusUri: string, output: number): Promise<void> =>
  expect.poll(() => outcomeOf(statusUri)).toMatchObject({ runtimeStatus: 'Completed', output });
/** Returns the first instance that does something. */
async function whoDoes(what: string, id: string): Promise<string> {
  await expect.poll(() => app.journal(what, id)).not.toEqual([]);
  return app.journal(what, id)[0]?.instance ?? '';
}

describe('several instances', () => {
  it('list their functions once, with the address of the app instead of their own', () => {
    const { port } = new URL(app.stack.url);
    const listed = output.filter((line) => line.includes('/api/who'));
    expect(listed).toEqual([`host-1: \twho: [GET] http://localhost:${port}/api/who`]);
    expect(output.join('\n')).not.toContain('Host started');
    expect(app.messages.at(-1)).toBe(`3 instances of the app are running at ${app.stack.url}`);
  });

  it('share the connections of clients', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => app.get('who')));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(NAMES));
  });

  it('share one task hub: a fan-out runs on all of them, each activity once', async () => {
    const ids = numbered('fan', 12);
    const status = await app.fanOut(ids, 150);
    expect(new URL(status).origin).toBe(app.stack.url);
    await completes(status, 12);
    const starts = ids.flatMap((id) => app.journal('start', id));
    expect(starts).toHaveLength(12);
    expect(new Set(starts.map(({ instance }) => instance))).toEqual(new Set(NAMES));
  });

  it('all listen to Service Bus, and a message goes to one of them', async () => {
    const bus = new ServiceBusClient(app.stack.serviceBus);
    const ids = numbered('event', 12);
    await bus.createSender('events').sendMessages(ids.map((body) => ({ body: Buffer.from(body) })));
    await expect
      .poll(() =>
        app
          .journal('event')
          .map(({ id }) => id)
          .sort(),
      )
      .toEqual(ids.sort());
    expect(new Set(app.journal('event').map(({ instance }) => instance))).toEqual(new Set(NAMES));
    await bus.close();
  });

  it('run each timer once', async () => {
    await expect.poll(() => app.journal('tick').length).toBeGreaterThan(1);
    expect(new Set(app.journal('tick').map(({ instance }) => instance)).size).toBe(1);
  });
});

describe('an instance that is killed', () => {
  it('answers 502 to its current request and does not affect other requests', async () => {
    const running = app.get('slow?id=cut&ms=60000');
    await app.instance(await whoDoes('slow', 'cut')).kill();
    expect(await running).toEqual({ status: 502, text: 'The instance of the app ended before it answered.' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.get('who')));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('leaves its timers to another one, and its activities after their visibility timeout', async () => {
    const ticks = () => app.journal('tick');
    const dead = app.instance(ticks().at(-1)?.instance);
    const ids = numbered('orphan', 6);
    const status = await app.fanOut(ids, LONG_MS);
    const startsOf = (id: string) => app.journal('start', id);
    const orphans = () => ids.filter((id) => startsOf(id)[0]?.instance === dead.name);
    await expect.poll(() => orphans().length).toBe(2);

    const killedAtMs = Date.now();
    await dead.kill();

    await completes(status, 6);
    for (const [, again] of orphans().map(startsOf)) {
      expect(again?.instance).not.toBe(dead.name);
      // It was last renewed at most a quarter of the timeout before the kill.
      expect((again?.atMs ?? 0) - killedAtMs).toBeGreaterThan(VISIBILITY_MS / 2);
    }
    expect(warnings.join('\n')).toMatch(/^Durable task hub: .* warning: .*'work'/m);
    expect(warnings.join('\n')).not.toContain('information:');
    const others = () => new Set(ticks().flatMap(({ instance }) => (instance === dead.name ? [] : [instance])));
    await expect.poll(() => others().size).toBe(1);
    expect(new Set(ticks().map(({ id }) => id)).size).toBe(ticks().length);
  });

  it('runs its activity again immediately after a restart', async () => {
    const status = await app.fanOut(['returned'], LONG_MS);
    const dead = app.instance(await whoDoes('start', 'returned'));
    await dead.kill();
    await dead.start();
    await completes(status, 1);
    expect(app.journal('start', 'returned')).toHaveLength(2);
  });

  it('is restarted after a wait if it terminated unexpectedly, which is reported', async () => {
    const [, , victim = app.stack.instances[0]] = app.stack.instances;
    const { pid } = victim.process;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => app.messages.join('\n')).toContain('host-3 is running again');
    expect(app.messages.join('\n')).toMatch(
      /Functions host host-3 was terminated by SIGKILL[\s\S]*host-3 will be restarted in 1 s/,
    );
    expect(victim.process.pid).not.toBe(pid);
    expect(victim.state).toBe('running');
  });
});

describe('an instance that is drained', () => {
  it('finishes its running work, accepts no more, and stays down', async () => {
    const running = app.get('slow?id=last&ms=1200');
    const name = await whoDoes('slow', 'last');
    const [status, drained] = [await app.fanOut(numbered('drained', 6), 600), app.instance(name)];
    await whoDoes('start', 'drained-5');
    const ending = drained.drain();
    expect(drained.state).toBe('draining');
    const late = await app.fanOut(numbered('late', 4), 1);
    await completes(late, 4);
    expect(await running).toEqual({ status: 200, text: name });
    await ending;
    await completes(status, 6);
    const did = (id: string) => app.journal('start', id).map(({ instance }) => instance);
    expect(numbered('drained', 6).flatMap(did)).toHaveLength(6);
    expect(numbered('late', 4).flatMap(did)).not.toContain(name);
    expect(drained.state).toBe('down');
  });
});

describe('an instance that is frozen', () => {
  it('keeps its connections, loses its activity, and receives no more work', async () => {
    const status = await app.fanOut(['frozen'], 700);
    const frozen = app.instance(await whoDoes('start', 'frozen'));
    frozen.freeze();
    const asked = Array.from({ length: 3 }, () => app.get('who'));
    // Without the router, whose connection may belong to the frozen instance.
    const awake = app.stack.instances.find((instance) => instance !== frozen)?.url ?? '';
    const past = (uri: string) => uri.replace(app.stack.url, awake);
    await completes(past(status), 1);
    const [, again] = app.journal('start', 'frozen');
    expect(again?.instance).not.toBe(frozen.name);
    const ids = numbered('meanwhile', 6);
    await completes(past(await app.fanOut(ids, 1)), 6);
    expect(ids.flatMap((id) => app.journal('start', id)).map(({ instance }) => instance)).not.toContain(frozen.name);
    frozen.thaw();
    expect(new Set((await Promise.all(asked)).map(({ text }) => text))).toEqual(new Set(NAMES));
  });
});

describe('when all are down', () => {
  it('the router answers 503, and work continues with the first instance that restarts', async () => {
    const status = await app.fanOut(numbered('rest', 3), 300);
    await whoDoes('start', 'rest-0');
    await Promise.all(app.stack.instances.map((instance) => instance.kill()));
    expect(await app.get('who')).toEqual({ status: 503, text: 'No instance of the app is running.' });
    await app.stack.instances[0].start();
    await completes(status, 3);
  });
});

describe('a task hub that is killed', () => {
  it('is reconnected by all instances and continues', async () => {
    const status = await app.fanOut(numbered('hub', 6), 500);
    await whoDoes('start', 'hub-5');
    await app.stack.taskHub.kill();
    await app.stack.taskHub.start();
    await expect.poll(() => outcomeOf(status).catch(() => undefined)).toMatchObject({ output: 6 });
  });
});
