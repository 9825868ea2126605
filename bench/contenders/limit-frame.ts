import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

/** Level 1, as Sluice's frames. */
export const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

const compressAsync = promisify(zstdCompress);

/** Compresses on the thread pool of Node. */
export const compress = (bytes: Uint8Array): Promise<Buffer> => compressAsync(bytes, ZSTD);
