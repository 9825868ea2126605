/** Writes the JSON Schemas of docs/contract and of price sheets, for `npm run generate`. */
import { writeFileSync } from 'node:fs';
import { priceSheetJsonSchema } from '../../../shared/cost/sheet.ts';
import { publishedSchemas } from './published.ts';

const folder = new URL('../../../docs/contract/', import.meta.url);
for (const [name, schema] of Object.entries(publishedSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}

const priceSheet = new URL('../../../shared/cost/sheets/schema.json', import.meta.url);
writeFileSync(priceSheet, `${JSON.stringify(priceSheetJsonSchema(), null, 2)}\n`);
