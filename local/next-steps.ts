import { relative } from 'node:path';
import type { LocalStack } from 'functions-local';
import { sourceFlagsText } from '../cli/try/flags-text.ts';
import { shellFile } from '../shared/shell-word.ts';
import type { Batch } from './batch/api.ts';
import type { Submission } from './batch/submission.ts';

type Access = Pick<LocalStack, 'url' | 'keys'>;

const exportLine = ({ url, keys }: Access): string => `  export SLUICE_URL=${url} SLUICE_KEY=${keys.function}`;

/** Describes how to access the stack from another shell while it runs. `subscriptions` are the user's own. */
export const describeAccess = (
  stack: Access & Pick<LocalStack, 'serviceBus'>,
  subscriptions: Readonly<Record<string, string>>,
): string[] => [
  'For another shell, and as the key of the dashboard:',
  exportLine(stack),
  ...(Object.keys(subscriptions).length === 0
    ? []
    : [`For a subscriber (${Object.keys(subscriptions).join(', ')}):`, `  export SLUICE_EVENTS='${stack.serviceBus}'`]),
];

/** Describes what to do next in another shell. `file` is the uploaded file. */
export function describeNextSteps(
  stack: Access & Pick<LocalStack, 'storage' | 'instances'>,
  batch: Batch,
  { file, workload, csv }: Pick<Submission, 'file' | 'workload' | 'csv'>,
): string[] {
  const { url, keys, storage, instances } = stack;
  const args = [shellFile(relative(process.cwd(), file)), '--workload', workload, ...sourceFlagsText(csv)];
  return [
    `Open the dashboard: ${url}/api/dashboard`,
    `  with the key ${keys.function}`,
    'Try in another shell:',
    exportLine(stack),
    `  export SLUICE_INBOX_CONNECTION='${storage}'`,
    `  npm run --silent sluice -- report ${batch.id}`,
    `  npm run --silent sluice -- dead-letters ${batch.id}`,
    `  npm run --silent sluice -- submit ${args.join(' ')} --again --wait`,
    '  npm run --silent sluice -- --help',
    'Or without the command:',
    `  curl -s -H "x-functions-key: $SLUICE_KEY" '${url}/api/batches/${batch.id}/report?format=csv'`,
    'Your own items, from a sample file: npm run new-workload -- NAME --from FILE; npm run dev applies each edit',
    ...(instances.length > 1 ? [] : ['Scale out: npm start -- --instances 3']),
  ];
}
