import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

// First bytes name the system and processor of a native file: ELF, Mach-O (one processor or several) and PE.

export interface NativeKind {
  platform: 'linux' | 'darwin' | 'win32'
  archs: string[]
}

const ELF_ARCHS: Readonly<Record<number, string>> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' }
const MACH_ARCHS: Readonly<Record<number, string>> = { 0x01000007: 'x64', 0x0100000c: 'arm64' }
const PE_ARCHS: Readonly<Record<number, string>> = { 0x14c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' }

const named = (archs: Readonly<Record<number, string>>, code: number): string => archs[code] ?? `unknown ${code}`

/** The system and processors of a file; null when its bytes are not those of a program or library. */
export function nativeKind(bytes: Buffer): NativeKind | null {
  if (bytes.length < 64) return null
  const magic = bytes.readUInt32BE(0)
  if (magic === 0x7f454c46) return { platform: 'linux', archs: [named(ELF_ARCHS, bytes.readUInt16LE(18))] }
  if (magic === 0xcffaedfe) return { platform: 'darwin', archs: [named(MACH_ARCHS, bytes.readUInt32LE(4))] }
  if (magic === 0xcafebabe) {
    const count = bytes.readUInt32BE(4)
    // A class file of Java begins alike, and then has a version where a library has its few processors.
    if (count > 4 || bytes.length < 8 + count * 20) return null
    const codes = Array.from({ length: count }, (_, place) => bytes.readUInt32BE(8 + place * 20))
    return { platform: 'darwin', archs: codes.map((code) => named(MACH_ARCHS, code)) }
  }
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return null
  const header = bytes.readUInt32LE(60)
  if (header + 6 > bytes.length || bytes.toString('latin1', header, header + 4) !== 'PE\0\0') return null
  return { platform: 'win32', archs: [named(PE_ARCHS, bytes.readUInt16LE(header + 4))] }
}

/** More than the distance to a PE header in practice. */
const HEAD_BYTES = 4096

/** Every native file below a folder, as a path below it, with its kind. Links are not followed. */
export async function nativeFiles(folder: string): Promise<(NativeKind & { file: string })[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: (NativeKind & { file: string })[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const handle = await open(path)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      const kind = nativeKind(buffer.subarray(0, bytesRead))
      if (kind !== null) found.push({ ...kind, file: path.slice(folder.length + 1) })
    } finally {
      await handle.close()
    }
  }
  return found
}

/** Those that this system and processor cannot load. */
export const foreignTo = <Kind extends NativeKind>(
  files: readonly Kind[],
  { platform, arch }: { platform: string; arch: string },
): Kind[] => files.filter((file) => file.platform !== platform || !file.archs.includes(arch))
