import { open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/**
 * Instruction sets of ELF files by `e_machine`. Source: System V ABI,
 * https://www.sco.com/developers/gabi/latest/ch4.eheader.html.
 */
const MACHINES: Readonly<Record<number, string>> = {
  3: 'x86',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'x86-64',
  183: 'arm64',
  243: 'riscv64',
};
const EXPECTED = 'Linux x86-64 (ELF)';
/** Size of the header up to and including `e_machine`. */
const HEADER_BYTES = 20;

/**
 * Refuses native code for machines other than those of Flex Consumption (Linux on x86-64), with which the app would start and then
 * fail at the first item that needs it. Checks each native file in `folder`, by extension (`.node`, `.so`, `.dll`, `.dylib`).
 * Throws an Error with every wrong file and its type.
 */
export async function refuseForeignCode(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && isNative(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const wrong: string[] = [];
  for (const file of files.sort()) {
    const found = machineOf(await firstBytes(file));
    if (found !== EXPECTED) wrong.push(`${relative(folder, file).split(sep).join('/')} is ${found}`);
  }
  if (wrong.length > 0) throw new Error(`Expected native code for ${EXPECTED} in the package: ${wrong.join('; ')}.`);
}

const isNative = (name: string): boolean => /\.(node|dll|dylib)$|\.so(\.\d+)*$/.test(name);

/** Returns the machine of a native file, determined by its first bytes. */
export function machineOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.byteLength >= 4 ? view.getUint32(0) : 0;
  if (magic === 0x7f454c46 && view.byteLength >= HEADER_BYTES) return elfOf(view);
  // Mach-O for one machine in either byte order, and for several machines.
  if ([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(magic)) return 'macOS (Mach-O)';
  if (magic >>> 16 === 0x4d5a) return 'Windows (PE)';
  return 'not a known format of native code';
}

/** Describes an ELF file: byte 5 is the byte order, bytes 18 and 19 are the machine. */
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
