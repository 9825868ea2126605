import { registeredFunctions } from 'functions-local/testing';
import { beforeAll, expect, it } from 'vitest';
import { ROUTES } from '../../../shared/http/routes.ts';
import { FUNCTIONS } from '../../helpers/data/functions.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { registerFunctions } from '../cost/functions.ts';

interface Binding {
  type: string;
  direction: string;
  route?: string;
  methods?: string[];
  authLevel?: string;
}

beforeAll(async () => {
  const inbox = { SLUICE_INBOX_SCHEDULE: '0 */5 * * * *' };
  Object.assign(process.env, connectionsTo('UseDevelopmentStorage=true'), inbox);
  await registerFunctions();
});

it('the host sees the recorded functions with their routes, key levels and inputs, and besides them only new routes', () => {
  const lines = registeredFunctions.map(({ metadata, triggerType }) => {
    const bindings = Object.values(metadata.bindings) as Binding[];
    const { route, methods, authLevel } = bindings.find(({ type }) => type === triggerType) ?? {};
    const trigger = route === undefined ? [triggerType] : [...(methods ?? []), route, authLevel];
    const inputs = bindings.filter(({ type, direction }) => direction === 'in' && type !== triggerType);
    return [metadata.name, ...trigger, ...inputs.map(({ type }) => type)].join(' ');
  });
  expect(FUNCTIONS.filter((line) => !lines.includes(line))).toEqual([]);
  const routes = ROUTES.map(({ name, method, path }) => `${name} ${method} ${path} `);
  const added = lines.filter((line) => !FUNCTIONS.includes(line));
  expect(added.filter((line) => !routes.some((route) => line.startsWith(route)))).toEqual([]);
});
