import { open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Instruction sets of ELF files by `e_machine`: System V ABI, https://www.sco.com/developers/gabi/latest/ch4.eheader.html. */
const MACHINES: Readonly<Record<number, string>> = {
  3: 'x86',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'x86-64',
  183: 'arm64',
  243: 'riscv64',
};
const WANTED = 'Linux x86-64 (ELF)';
/** Up to and with `e_machine`. */
const HEADER_BYTES = 20;

/**
 * Refuses native code for another machine than those of Flex Consumption, which are Linux on x86-64: the app would be
 * deployed, start, and fail at the first item that needs it. Looks at each `.node` and `.so` file below `folder`. Throws an
 * Error that names every wrong file and what it is.
 */
export async function refuseForeignCode(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && isNative(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const wrong: string[] = [];
  for (const file of files.sort()) {
    const found = machineOf(await firstBytes(file));
    if (found !== WANTED) wrong.push(`${relative(folder, file).split(sep).join('/')} is ${found}`);
  }
  if (wrong.length > 0) throw new Error(`Expected native code for ${WANTED} in the package: ${wrong.join('; ')}.`);
}

const isNative = (name: string): boolean => /\.(node|dll|dylib)$|\.so(\.\d+)*$/.test(name);

/** Returns for which machine a file is, by its first bytes. */
export function machineOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.byteLength >= 4 ? view.getUint32(0) : 0;
  if (magic === 0x7f454c46 && view.byteLength >= HEADER_BYTES) return elfOf(view);
  // Mach-O of one machine in either byte order, and of several.
  if ([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(magic)) return 'macOS (Mach-O)';
  if (magic >>> 16 === 0x4d5a) return 'Windows (PE)';
  return 'no native code that is known';
}

/** Byte 5 is the byte order, bytes 18 and 19 the machine. */
function elfOf(view: DataView): string {
  const machine = view.getUint16(18, view.getUint8(5) === 1);
  return `Linux ${MACHINES[machine] ?? `machine ${machine}`} (ELF)`;
}

async function firstBytes(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
