import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { app } from '@azure/functions';
import * as df from 'durable-functions';

const instance = process.env.WEBSITE_INSTANCE_ID;

/** All instances write into one file, so that a test sees who did what, in which order. */
const note = (what, id) => appendFileSync(process.env.JOURNAL, `${what} ${id} ${instance} ${Date.now()}\n`);

app.http('who', { methods: ['GET'], handler: () => ({ body: instance }) });
app.http('slow', {
  methods: ['GET'],
  handler: async ({ query }) => {
    note('slow', query.get('id'));
    await sleep(Number(query.get('ms')));
    return { body: instance };
  },
});
app.timer('tick', { schedule: '* * * * * *', handler: () => note('tick', Math.round(Date.now() / 1000)) });
app.serviceBusTopic('event', {
  connection: 'Bus',
  topicName: 'events',
  subscriptionName: 'all',
  handler: async (id) => {
    note('event', id);
    await sleep(50);
  },
});
df.app.activity('work', {
  handler: async ({ id, ms }) => {
    note('start', id);
    await sleep(ms);
    note('end', id);
    return 1;
  },
});
/** The first episode of this orchestration never ends. */
const STUCK = 'stuck';
app.hook.preInvocation(async ({ invocationContext: { functionName, triggerMetadata } }) => {
  if (functionName !== 'fan-out' || triggerMetadata?.instanceId !== STUCK) return;
  note('episode', STUCK);
  if (readFileSync(process.env.JOURNAL, 'utf8').match(/^episode /gm).length === 1) await new Promise(() => {});
});
df.app.orchestration('fan-out', function* (context) {
  const { ids, ms } = context.df.getInput();
  const tasks = ids.map((id) => context.df.callActivity('work', { id, ms }));
  const ends = yield context.df.Task.all(tasks);
  return ends.reduce((sum, end) => sum + end, 0);
});
app.http('start', {
  methods: ['POST'],
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const client = df.getClient(context);
    const { instanceId, ...input } = await request.json();
    const id = await client.startNew('fan-out', { instanceId, input });
    return client.createCheckStatusResponse(request, id);
  },
});
