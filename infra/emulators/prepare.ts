/** `npm run local:prepare`: the containers and tables of an empty Azurite, which in Azure the deployment makes. */
import { makeStorage } from 'functions-local';
import { CONTAINERS, TABLES } from '../../shared/contract/names.ts';
import { registry } from '../../workloads/index.ts';

const containers = [...Object.values(CONTAINERS), ...registry.containers];
const tables = Object.values(TABLES);
await makeStorage(process.env.SluiceStorage || 'UseDevelopmentStorage=true', { containers, tables });
console.log(`there now: ${[...containers, ...tables].join(', ')}`);
