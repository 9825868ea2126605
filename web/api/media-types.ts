import { delimiterName, kindOfName, mediaTypeOf, type UploadFormat } from '../../shared/contract/upload-kinds.ts';

/** What a file is sent as. `delimiter` is empty where the name does not say it. */
export interface FileKind {
  format: UploadFormat;
  contentType: string;
  encoding: string | undefined;
  delimiter: string;
}

/** The kind of a file by its name; undefined for one that cannot be uploaded. */
export function describeFile(name: string): FileKind | undefined {
  const kind = kindOfName(name);
  if (kind === undefined) return undefined;
  const { format, encoding, delimiter } = kind;
  return {
    format,
    contentType: mediaTypeOf(format),
    encoding: encoding === 'identity' ? undefined : encoding,
    delimiter: delimiter === undefined ? '' : delimiterName(delimiter),
  };
}
