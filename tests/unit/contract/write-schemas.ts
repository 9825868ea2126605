/** Writes the JSON Schemas and the reference of docs/contract, and the JSON Schema of price sheets, for `npm run generate`. */
import { writeFileSync } from 'node:fs';
import { priceSheetJsonSchema } from '../../../shared/cost/sheet.ts';
import { eventTypesPage } from './event-types-page.ts';
import { publishedSchemas } from './published.ts';

const folder = new URL('../../../docs/contract/', import.meta.url);
for (const [name, schema] of Object.entries(publishedSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(new URL('event-types.md', folder), eventTypesPage());

const priceSheet = new URL('../../../shared/cost/sheets/schema.json', import.meta.url);
writeFileSync(priceSheet, `${JSON.stringify(priceSheetJsonSchema(), null, 2)}\n`);
