import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type Dashboard, openDashboard } from './dashboard.ts';

/**
 * Gives the tests of a file a browser on the stack that all files share. After each test its tabs are closed, and none of
 * them may have had a fault. The properties are there from the first hook or test on.
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
