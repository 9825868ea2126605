import { expect, test } from 'vitest';
import { explainCoreTools } from '../../../infra/emulators/explain-core-tools.ts';

test.each([
  ['4.12.0\n', undefined],
  ['3.0.5571\n', 'func is version 3.0.5571. Install Azure Functions Core Tools 4'],
  ['', 'func is version unknown. Install Azure Functions Core Tools 4'],
  [undefined, 'The command func was not found. Install Azure Functions Core Tools 4'],
])('the version %j of Core Tools', (version, expected) => {
  if (expected === undefined) expect(explainCoreTools(version)).toBeUndefined();
  else expect(explainCoreTools(version)).toContain(expected);
});
