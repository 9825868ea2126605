import { describe, expect, it } from 'vitest';
import { functionSettings, planHost, planServices } from '../../../src/cli/plan-start.ts';
import { readHostConfig } from '../../../src/host/settings/host-json.ts';

const values = {};
const NONE = { functions: [] };

describe('planHost', () => {
  it('uses the port of Core Tools without CORS by default', () => {
    expect(planHost({}, { values })).toEqual({ port: 7071, cors: undefined });
  });

  it('uses the Host section of local.settings.json, and options take precedence', () => {
    const local = { values, httpPort: 8080, cors: { origins: ['http://a'], credentials: true } };
    expect(planHost({}, local)).toEqual({ port: 8080, cors: { origins: ['http://a'], credentials: true } });
    expect(planHost({ port: 0, cors: ['http://b'] }, local)).toEqual({
      port: 0,
      cors: { origins: ['http://b'], credentials: true },
    });
  });

  it('refuses credentials without a list of origins', () => {
    expect(() => planHost({ corsCredentials: true }, { values })).toThrow('expected origins in --cors or Host.CORS');
    expect(() => planHost({ cors: ['*'], corsCredentials: true }, { values })).toThrow('got the origin *');
  });
});

describe('functionSettings', () => {
  it('are the override that selects the functions of the host', () => {
    expect(readHostConfig('{"version":"2.0"}', functionSettings(['one', 'two'])).functions).toEqual(['one', 'two']);
    expect(readHostConfig('{"version":"2.0","functions":["three"]}', functionSettings()).functions).toEqual(['three']);
  });
});

describe('planServices', () => {
  const file = { path: 'bus.json', config: { UserConfig: { Namespaces: [{ Name: 'n', Queues: [{ Name: 'q' }] }] } } };

  it('starts nothing for an app without development connections', () => {
    expect(planServices({ AzureWebJobsStorage: '' }, NONE, undefined)).toEqual({
      embedded: { storage: [], serviceBus: [] },
      entities: undefined,
      namespace: undefined,
    });
  });

  it('starts only storage if no other service is selected', () => {
    const plan = planServices({ AzureWebJobsStorage: 'UseDevelopmentStorage=true' }, NONE, undefined);
    expect(plan.embedded).toEqual({ storage: ['AzureWebJobsStorage'], serviceBus: [] });
    expect(plan.entities).toBeUndefined();
  });

  it('uses the entities of the file instead of those of the triggers', () => {
    const plan = planServices({ Bus: 'UseDevelopmentEmulator=true' }, NONE, file);
    expect(plan.namespace?.queues.map(({ name }) => name)).toEqual(['q']);
    expect(plan.entities).toBe(file.config);
  });
});
