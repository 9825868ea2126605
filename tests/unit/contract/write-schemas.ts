/** `npm run contract`: writes the JSON Schemas of docs/contract. */
import { writeFileSync } from 'node:fs';
import { publishedSchemas } from './published.ts';

const folder = new URL('../../../docs/contract/', import.meta.url);
for (const [name, schema] of Object.entries(publishedSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
