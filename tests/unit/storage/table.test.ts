import { expect, test } from 'vitest';
import { deleteEntity, isLostRace, readEntity, type Table, wins } from '../../../shared/storage/table.ts';

/**
 * An error as data-tables throws it: for one call with the code in the parsed body, for a transaction on the error
 * itself.
 */
const ofCall = (statusCode: number, code: string): Error =>
  Object.assign(new Error(code), { statusCode, details: { odataError: { code } } });
const ofTransaction = (statusCode: number, code: string): Error => Object.assign(new Error(code), { statusCode, code });

test.each([
  [412, 'UpdateConditionNotSatisfied', true],
  [409, 'EntityAlreadyExists', true],
  [404, 'ResourceNotFound', true],
  [404, 'EntityNotFound', true],
  [404, 'TableNotFound', false],
  [409, 'TableBeingDeleted', false],
  [404, '', false],
  [403, 'AuthorizationPermissionMismatch', false],
])('%i %s is a lost race: %s', async (status, code, expected) => {
  for (const error of [ofCall(status, code), ofTransaction(status, code)]) {
    expect(isLostRace(error)).toBe(expected);
    const written = wins(Promise.reject(error));
    if (expected) await expect(written).resolves.toBe(false);
    else await expect(written).rejects.toBe(error);
  }
});

test('a missing entity is undefined; a missing table is an error', async () => {
  const failing = (error: Error) => {
    const fail = () => Promise.reject(error);
    return { getEntity: fail, deleteEntity: fail } as unknown as Table;
  };
  const gone = failing(ofCall(404, 'ResourceNotFound'));
  const missing = failing(ofCall(404, 'TableNotFound'));

  expect(await readEntity(gone, 'p', 'r')).toBeUndefined();
  await deleteEntity(gone, 'p', 'r');

  await expect(readEntity(missing, 'p', 'r')).rejects.toThrow('TableNotFound');
  await expect(deleteEntity(missing, 'p', 'r')).rejects.toThrow('TableNotFound');
});
