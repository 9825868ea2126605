import * as df from 'durable-functions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.setExceptionPropertiesProvider({ getExceptionProperties: () => ({ code: 7 }) });
df.app.activity('fail', {
  handler: () => {
    throw new RangeError('too far');
  },
});
df.app.orchestration('reading', function* (context) {
  try {
    yield context.df.callActivity('fail');
  } catch (error: unknown) {
    const { errorType, errorMessage, properties } = (error as df.TaskFailedError).failureDetails;
    return { errorType, errorMessage, properties };
  }
});

let shim: Shim;
beforeAll(async () => {
  shim = await startShim();
});
afterAll(() => shim.stop());

test('properties that the app adds to an error reach the orchestrator', async () => {
  const { output } = await waitForStatus(shim.client, await shim.client.startNew('reading'));
  expect(output).toEqual({ errorType: 'RangeError', errorMessage: 'too far', properties: { code: 7 } });
});
