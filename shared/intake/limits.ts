import { Problem } from '../errors.ts';

/** Limits of one upload. Each is enforced before the memory for what lies beyond it is spent. */
export interface UploadLimits {
  /** Bytes of the body as received, compressed or not. */
  maxBodyBytes: number;
  /** Bytes of the body after decoding; also the limit of all records together as they are stored. */
  maxDecodedBytes: number;
  /** Bytes of one record as uploaded, without its line ending or separator. */
  maxRecordBytes: number;
  /** Records of one upload. */
  maxItems: number;
}

/** The problem of an upload that is over a limit as a whole: it names the inbox as the way for larger files. */
export const uploadTooLarge = (what: string): Problem =>
  new Problem('too-large', `${what} Put larger files into the inbox container, or send several smaller batches.`);
