/** Checks of the topic and its subscriptions. The table in checks.ts contains what each check expects. */
import { type Context, eachApp, type Finding, notRun, passIf, text } from './check.ts';
import { type App, accountOf, type Deployment } from './deployment.ts';

/** Returns the az arguments for the topic of an app, from its settings. */
const topicOf = ({ group }: Deployment, app: App): string[] => [
  ...['--resource-group', group, '--namespace-name', accountOf(app, 'SluiceServiceBus__fullyQualifiedNamespace')],
  ...['--topic-name', app.settings.SLUICE_TOPIC ?? 'sluice-events'],
];
const subscriptionOf = ({ settings }: App): string => settings.SLUICE_SUBSCRIPTION ?? '';

export const matchAll = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = [...topicOf(context.deployment, app), '--subscription-name', subscriptionOf(app)];
    const rules = (await context.tools.az('servicebus', 'topic', 'subscription', 'rule', 'list', ...of)) as {
      name: string;
    }[];
    const names = rules.map(({ name }) => name);
    return {
      holds: names.join() === 'queue-work-detected',
      text: `${subscriptionOf(app)}: ${names.join(', ') || 'no rules'}`,
    };
  });

export async function duplicates({ deployment, tools }: Context): Promise<Finding> {
  const [app] = deployment.apps;
  if (app === undefined) return notRun('The group has no app.');
  const of = topicOf(deployment, app).map((word) => (word === '--topic-name' ? '--name' : word));
  const topic = (await tools.az('servicebus', 'topic', 'show', ...of)) as {
    requiresDuplicateDetection?: boolean;
    duplicateDetectionHistoryTimeWindow?: string;
  };
  const { requiresDuplicateDetection: on, duplicateDetectionHistoryTimeWindow: window } = topic;
  // az prints the ten minutes in the format of ARM, or as a time.
  const holds = on === true && /^(PT10M|0:10:00(\.0+)?)$/.test(window ?? '');
  return passIf(holds, `requiresDuplicateDetection ${text(on)}, window ${text(window)}`);
}

export const wakes = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = [...topicOf(context.deployment, app), '--name', subscriptionOf(app)];
    const shown = (await context.tools.az('servicebus', 'topic', 'subscription', 'show', ...of)) as {
      countDetails?: { activeMessageCount?: number; deadLetterMessageCount?: number };
    };
    const { activeMessageCount: active = 0, deadLetterMessageCount: dead = 0 } = shown.countDetails ?? {};
    return {
      holds: active === 0 && dead === 0,
      text: `${subscriptionOf(app)}: ${active} waiting, ${dead} dead letters`,
    };
  });
