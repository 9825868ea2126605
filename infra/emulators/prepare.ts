/** `npm run local:prepare`: creates the containers and tables in an empty Azurite. In Azure, the deployment creates them. */
import { makeStorage } from 'functions-local';
import { CONTAINERS, TABLES } from '../../shared/contract/names.ts';
import { registry } from '../../workloads/index.ts';

const containers = [...Object.values(CONTAINERS), ...registry.containers];
const tables = Object.values(TABLES);
await makeStorage(process.env.SluiceStorage || 'UseDevelopmentStorage=true', { containers, tables });
console.log(`created, or already present: ${[...containers, ...tables].join(', ')}`);
