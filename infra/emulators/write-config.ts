/** `npm run generate`: writes config.json for the official Service Bus emulator. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entities } from '../../local/entities.ts';
import { registry } from '../../workloads/index.ts';
import { emulatorConfig } from './emulator-config.ts';

const file = join(import.meta.dirname, 'config.json');
await writeFile(file, `${JSON.stringify(emulatorConfig(entities(registry)), null, 2)}\n`);
