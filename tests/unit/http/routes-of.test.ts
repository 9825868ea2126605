import { expect, test } from 'vitest';
import { ROUTES, routesOf } from '../../../shared/http/routes.ts';

const namesOf = (groups: Parameters<typeof routesOf>[0]): string[] => routesOf(groups).map(({ name }) => name);
const ALL = ROUTES.map(({ name }) => name);
const DASHBOARD = ['dashboard', 'dashboard-file'];
const OPERATORS = ROUTES.filter(({ audience }) => audience.join() === 'operator').map(({ name }) => name);

test('an app has all routes, unless it leaves out those of operators or the dashboard', () => {
  expect(namesOf({})).toEqual(ALL);
  expect(namesOf({ dashboard: false })).toEqual(ALL.filter((name) => !DASHBOARD.includes(name)));
  const clients = ALL.filter((name) => !OPERATORS.includes(name));
  expect(namesOf({ operatorApi: false, dashboard: true })).toEqual(clients);
  // The dashboard shows what operators ask for.
  expect(namesOf({ operatorApi: false })).toEqual(clients.filter((name) => !DASHBOARD.includes(name)));
  expect(clients).toContain('submit-batch');
});
