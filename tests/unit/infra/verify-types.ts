/**
 * Checks the deployment, with every set of parameters, against a checkout of Azure/bicep-types-az, and writes the record of
 * checked properties: `node tests/unit/infra/verify-types.ts <checkout>`. Run it when the deployment sends new properties.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { checkResource, faultsOf, readDefinitions, recordOf, type Verified } from 'bicep-check';
import { deployedResources, RECORD_FILE } from './deployed.ts';
import { PARAMETER_SETS } from './parameter-sets.ts';

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Expected the folder of a checkout of Azure/bicep-types-az.');

const git = (...args: string[]): string =>
  spawnSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).stdout.trim();
const definitions = readDefinitions(checkout);
const resources = Object.values(PARAMETER_SETS).flatMap((parameters) => deployedResources(parameters));
const faults = [...new Set(faultsOf(resources, (one) => checkResource(one, definitions).faults))];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else {
  const record: Verified = {
    source: {
      repository: 'github.com/Azure/bicep-types-az',
      licence: 'MIT',
      commit: git('log', '-1', '--format=%H'),
      committed: git('log', '-1', '--format=%cs'),
    },
    types: recordOf(resources, definitions),
  };
  writeFileSync(RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`);
  console.log(`${resources.length} resources of ${Object.keys(record.types).length} types are as defined.`);
}
