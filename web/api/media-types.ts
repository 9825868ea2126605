import { delimiterName, kindOfName, mediaTypeOf, type UploadFormat } from '../../shared/contract/upload-kinds.ts';

/** The content type of a file. `delimiter` is empty if the name does not determine it. */
export interface FileKind {
  format: UploadFormat;
  contentType: string;
  encoding: string | undefined;
  delimiter: string;
}

/** Returns the content type of a file by its name; undefined if it cannot be uploaded. */
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
