import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emulatorConfig } from '../../../infra/emulators/emulator-config.ts';
import { entities } from '../../../local/entities.ts';
import { registry } from '../../../workloads/index.ts';
import { ROOT } from './bicep.ts';
import { azureYamlSchema, emulatorSchema, hostSchema, localSettingsSchema } from './schemas.ts';

const CONFIG = 'infra/emulators/config.json';
const ajv = new Ajv({ allErrors: true });
const read = (file: string): unknown => parse(readFileSync(join(ROOT, file), 'utf8'));

interface Tree {
  [key: string]: unknown;
}
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the paths of all objects in a tree, the root first. */
const objectsIn = (tree: Tree, place: string[] = []): string[][] => [
  place,
  ...Object.entries(tree).flatMap(([key, value]) => (isTree(value) ? objectsIn(value, [...place, key]) : [])),
];

/** Returns a copy of a tree with another value at a path. */
function withValue(tree: Tree, [key = '', ...rest]: readonly string[], value: unknown): Tree {
  const before = tree[key];
  return { ...tree, [key]: rest.length === 0 ? value : withValue(isTree(before) ? before : {}, rest, value) };
}

describe('configuration files', () => {
  it.each([
    ['host.json', hostSchema],
    ['azure.yaml', azureYamlSchema],
    [CONFIG, emulatorSchema],
    ['local.settings.sample.json', localSettingsSchema],
  ])('match their schema: %s', (file, schema) => {
    const validate = ajv.compile(schema);
    validate(read(file));
    expect(validate.errors).toBeNull();
  });

  it('are refused with an unknown name', () => {
    const validate = ajv.compile(hostSchema);
    expect(validate({ ...(read('host.json') as object), functionTimeOut: '00:10:00' })).toBe(false);
  });
});

describe('host.json', () => {
  const validate = ajv.compile(hostSchema);
  const host = read('host.json') as Tree;

  it('is refused with an unknown key in any of its objects', () => {
    const places = objectsIn(host);
    expect(places).toContainEqual(['extensions', 'durableTask', 'storageProvider']);
    const passed = places.filter((place) => validate(withValue(host, [...place, 'madeUp'], 'Information')));
    expect(passed).toEqual([]);
  });
});

describe("the official emulator's configuration", () => {
  it('is generated from the entities of the local broker (npm run generate)', () => {
    expect(read(CONFIG)).toEqual(emulatorConfig(entities(registry)));
  });

  it("has the emulator's namespace and stays within its limits, whatever the source says", () => {
    const topic = { Properties: { DefaultMessageTimeToLive: 'P14D', DuplicateDetectionHistoryTimeWindow: 'PT10M' } };
    const config = emulatorConfig({ UserConfig: { Namespaces: [{ Name: 'sluice', Topics: [topic] }] } });
    const clamped = { Properties: { DefaultMessageTimeToLive: 'PT1H', DuplicateDetectionHistoryTimeWindow: 'PT5M' } };
    expect(config).toEqual({ UserConfig: { Namespaces: [{ Name: 'sbemulatorns', Topics: [clamped] }] } });
  });

  it('keeps values below a limit', () => {
    expect(emulatorConfig({ DefaultMessageTimeToLive: 'PT5M', LockDuration: 'PT2H' })).toEqual({
      DefaultMessageTimeToLive: 'PT5M',
      LockDuration: 'PT2H',
    });
  });
});

describe('the compose file', () => {
  it('opens ports only on this machine, and contains no password', () => {
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
