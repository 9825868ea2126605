export { ConversionError } from './conversion-error.ts';
export { chooseSheet, type ExcelSource, excelToCsv } from './excel.ts';
export { parquetToNdjson } from './parquet.ts';
