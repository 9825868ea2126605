import { expect, it } from 'vitest';
import { describeStartFailure } from '../../../../local/dev/start-failure.ts';

const COPY = '/repo/.sluice/app/a';
const failure = (...lines: string[]): string =>
  [
    'Functions host host-2 ended with code 1; its last lines (all: /repo/.sluice/stack/logs/host-2.log):',
    "  [2026-01-01T00:00:00.000Z] host.json: 'logging' has no effect",
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
const START = '[2026-01-01T00:00:00.000Z] The host could not start:';

it('shows the position of a syntax error in the source file, without the frames that loaded it', () => {
  const message = failure(
    `${START} Worker was unable to load entry point "${COPY}/functions/app.ts": Unexpected token`,
    `file://${COPY}/workloads/orders.ts:7`,
    'export default defineWorkload({ {',
    '                                ^',
    '',
    'SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Unexpected token',
    '    at parseTypeScript (node:internal/modules/typescript:72:36)',
    '    at async loadFile (file:///repo/packages/functions-local/src/host/app/load-app.ts:45:36)',
  );
  expect(describeStartFailure(message, COPY)).toEqual([
    'workloads/orders.ts:7',
    'export default defineWorkload({ {',
    '                                ^',
    'SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Unexpected token',
  ]);
});

it('keeps the frames of the app for an error that a workload throws', () => {
  const message = failure(
    `${START} Worker was unable to load entry point "${COPY}/functions/app.ts": version must be 1 to 1000000, got -1.`,
    'WorkloadDefinitionError: version must be 1 to 1000000, got -1.',
    `    at defineWorkload (file://${COPY}/shared/workload/define.ts:226:3)`,
    `    at file://${COPY}/workloads/orders.ts:7:16`,
    '    at ModuleJob.run (node:internal/modules/esm/module_job:561:25)',
  );
  expect(describeStartFailure(message, COPY)).toEqual([
    'WorkloadDefinitionError: version must be 1 to 1000000, got -1.',
    '    at defineWorkload (shared/workload/define.ts:226:3)',
    '    at workloads/orders.ts:7:16',
  ]);
});

it('shows a one-line refusal and any other message unchanged', () => {
  expect(describeStartFailure(failure(`${START} host.json: not JSON`), COPY)).toEqual(['host.json: not JSON']);
  expect(describeStartFailure('Functions host host-2 was not ready after 60 s', COPY)).toEqual([
    'Functions host host-2 was not ready after 60 s',
  ]);
});
