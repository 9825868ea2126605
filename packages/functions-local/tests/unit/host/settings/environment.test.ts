import { describe, expect, it } from 'vitest';
import { FunctionRefusedError } from '../../../../src/host/errors.ts';
import { findConnectionString } from '../../../../src/host/settings/connection.ts';
import {
  findSetting,
  isDisabled,
  resolveSettings,
  resolveSettingsDeep,
} from '../../../../src/host/settings/environment.ts';

describe('findSetting', () => {
  it.each([
    ['finds a name as it is written', { A: '1' }, 'A', '1'],
    ['ignores the case of a name', { My_Setting: '1' }, 'MY_setting', '1'],
    ['treats a colon like a double underscore', { a__b: '1' }, 'A:B', '1'],
    ['treats an empty value as missing', { A: '' }, 'A', undefined],
  ])('%s', (_, env, name, expected) => expect(findSetting(env, name)).toBe(expected));
});

describe('resolveSettings', () => {
  it('replaces every name', () => {
    expect(resolveSettings('%A%-x-%b%', { A: '1', B: '2' })).toBe('1-x-2');
  });

  it('throws for a missing setting', () => {
    expect(() => resolveSettings('%GONE%', {})).toThrow(
      new FunctionRefusedError(
        "'%GONE%' does not resolve to a value: set 'GONE' in local.settings.json (Values) or in the environment.",
      ),
    );
  });

  it('replaces names in nested values and does not change other types', () => {
    const value = { a: ['%A%', 3], b: { c: '%A%' }, d: null };
    expect(resolveSettingsDeep(value, { A: 'x' })).toEqual({ a: ['x', 3], b: { c: 'x' }, d: null });
  });
});

describe('isDisabled', () => {
  it.each([
    [{ 'AzureWebJobs.fn.Disabled': 'true' }, true],
    [{ AzureWebJobs_fn_Disabled: '1' }, true],
    [{ 'AzureWebJobs.fn.Disabled': 'false' }, false],
    [{ 'AzureWebJobs.other.Disabled': 'true' }, false],
  ])('with the settings %j is %s', (env, expected) => expect(isDisabled('fn', env)).toBe(expected));
});

describe('findConnectionString', () => {
  it.each([
    [{ AzureWebJobsBus: 'prefixed', Bus: 'plain' }, 'prefixed'],
    [{ Bus: 'plain' }, 'plain'],
    [{ 'ConnectionStrings:Bus': 'section' }, 'section'],
  ])('%j returns %s', (env, expected) => expect(findConnectionString('Bus', env)).toBe(expected));

  it('refuses the identity form with an error', () => {
    const env = { Bus__fullyQualifiedNamespace: 'x.servicebus.windows.net' };
    expect(() => findConnectionString('Bus', env)).toThrow(/managed identity \(Bus__fullyQualifiedNamespace\)/);
  });

  it('reports the missing setting', () => {
    expect(() => findConnectionString('Bus', {})).toThrow("no setting 'Bus' or 'AzureWebJobsBus' exists");
  });
});
