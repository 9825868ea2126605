import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entities } from '../../../demo/entities.ts';
import { emulatorConfig } from '../../../infra/emulators/emulator-config.ts';
import { registry } from '../../../workloads/index.ts';
import { ROOT } from './bicep.ts';
import { azureYamlSchema, emulatorSchema, hostSchema, localSettingsSchema } from './schemas.ts';

const CONFIG = 'infra/emulators/config.json';
const ajv = new Ajv({ allErrors: true });
const read = (file: string): unknown => parse(readFileSync(join(ROOT, file), 'utf8'));

describe('configuration files', () => {
  it.each([
    ['host.json', hostSchema],
    ['azure.yaml', azureYamlSchema],
    [CONFIG, emulatorSchema],
    ['local.settings.sample.json', localSettingsSchema],
  ])('%s is of its schema', (file, schema) => {
    const validate = ajv.compile(schema);
    validate(read(file));
    expect(validate.errors).toBeNull();
  });

  it('with an unknown name are refused', () => {
    const validate = ajv.compile(hostSchema);
    expect(validate({ ...(read('host.json') as object), functionTimeOut: '00:10:00' })).toBe(false);
  });
});

describe("the official emulator's configuration", () => {
  it('is generated from the entities of the local broker (npm run local:entities)', () => {
    expect(read(CONFIG)).toEqual(emulatorConfig(entities(registry)));
  });

  it("has the emulator's namespace and stays within its limits, whatever the source says", () => {
    const topic = { Properties: { DefaultMessageTimeToLive: 'P14D', DuplicateDetectionHistoryTimeWindow: 'PT10M' } };
    const config = emulatorConfig({ UserConfig: { Namespaces: [{ Name: 'sluice', Topics: [topic] }] } });
    const clamped = { Properties: { DefaultMessageTimeToLive: 'PT1H', DuplicateDetectionHistoryTimeWindow: 'PT5M' } };
    expect(config).toEqual({ UserConfig: { Namespaces: [{ Name: 'sbemulatorns', Topics: [clamped] }] } });
  });

  it('keeps what is shorter than a limit', () => {
    expect(emulatorConfig({ DefaultMessageTimeToLive: 'PT5M', LockDuration: 'PT2H' })).toEqual({
      DefaultMessageTimeToLive: 'PT5M',
      LockDuration: 'PT2H',
    });
  });
});

describe('the compose file', () => {
  it('opens ports on this machine only, and holds no password', () => {
    const compose = read('infra/emulators/docker-compose.yaml') as {
      services: Record<string, { ports?: string[]; environment?: Record<string, string> }>;
    };
    const services = Object.values(compose.services);
    const ports = services.flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const passwords = services.flatMap((service) => service.environment?.MSSQL_SA_PASSWORD ?? []);
    expect(passwords.filter((password) => !password.startsWith('${SQL_PASSWORD:?'))).toEqual([]);
  });
});
