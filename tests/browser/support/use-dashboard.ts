import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type Dashboard, openDashboard } from './dashboard.ts';

/**
 * Provides a browser on the shared stack to the tests of a file. After each test, its tabs are closed and must have had
 * no faults. The properties are available from the first hook or test on.
 */
export function useDashboard(): Dashboard {
  const dashboard = {} as Dashboard;
  beforeAll(async () => {
    Object.assign(dashboard, await openDashboard(inject('stack')));
  });
  afterEach(async () => {
    await dashboard.closeTabs();
    expect(dashboard.faults).toEqual([]);
  });
  afterAll(() => dashboard.stop());
  return dashboard;
}
