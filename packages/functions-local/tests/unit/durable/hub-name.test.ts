import { expect, test } from 'vitest';
import { isHubName, toHubName } from '../../../src/durable/hub-name.ts';

test.each(['abc', 'TestHubName', 'hub2', 'a'.repeat(45)])('%s is a valid name', (name) => {
  expect(isHubName(name)).toBe(true);
});

test.each(['', 'ab', '1hub', 'my-hub', 'my_hub', 'my hub', 'hüb', 'a'.repeat(46)])(
  "'%s' is not a valid name",
  (name) => {
    expect(isHubName(name)).toBe(false);
  },
);

test.each([
  ['my-app', 'myapp'],
  ['1st-app', 't1stapp'],
  ['a', 'aHub'],
  ['-', 'DefaultTaskHub'],
  ['x'.repeat(60), 'x'.repeat(45)],
])('an app %s without a configured hub name gets %s', (siteName, hubName) => {
  expect(toHubName(siteName)).toBe(hubName);
});
