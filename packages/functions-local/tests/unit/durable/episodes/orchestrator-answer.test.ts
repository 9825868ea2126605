import { expect, test } from 'vitest';
import { readReturnedAnswer, readThrownAnswer } from '../../../../src/durable/episodes/orchestrator-answer.ts';

const label = 'false\n\n$OutOfProcData$:';

test('a returned state is read with its one list of actions', () => {
  const json = JSON.stringify({ isDone: true, actions: [[]], output: { a: 1 }, schemaVersion: 3 });
  expect(readReturnedAnswer({ json })).toEqual({
    isDone: true,
    actions: [],
    output: { a: 1 },
    customStatus: undefined,
  });
});

test('a thrown state is a failure of user code, identified only by its JSON', () => {
  const state = { isDone: false, actions: [[]], error: 'broken', schemaVersion: 3 };
  const answer = readThrownAnswer(new Error(label + JSON.stringify(state)));
  expect(answer.failure?.message).toBe('broken');
});

test('an error without the label is a failed invocation', () => {
  expect(() => readThrownAnswer(new Error('worker died'))).toThrow('worker died');
});

test('an error without a message, which hangs an instance on Azure, is reported', () => {
  const state = { isDone: false, actions: [[]], schemaVersion: 3 };
  expect(() => readThrownAnswer(new Error(label + JSON.stringify(state)))).toThrow('error without a message');
});

test.each([[undefined], [{}], [{ json: '{"actions":[]}' }], [{ json: '{"actions":[[],[]]}' }]])(
  '%j is not an orchestrator result',
  (value) => {
    expect(() => readReturnedAnswer(value)).toThrow();
  },
);
