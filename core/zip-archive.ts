// The one reader of zip archives: of datasets and bundles, which the engine reads from a file in blocks, and of Office files, which the converter
// has in memory. It does no I/O: the caller reads the tail, then the directory, then each entry, and passes the bytes on. What the directory
// declares is checked before anything is unpacked (names, number, sizes, ratio, overlaps), and what is unpacked is checked against it (size, CRC-32).
// Format: APPNOTE.TXT of PKWARE, 4.3 and 4.5.3.
import { Inflate, strFromU8 } from 'fflate'

/** An archive cannot be used; the message is a sentence about it, `entry` the name that it is about. */
export class ZipArchiveError extends Error {
  override readonly name = 'ZipArchiveError'
  readonly code: 'no_archive' | 'damaged' | 'too_large' | 'encrypted'
  readonly entry: string | null

  constructor(code: ZipArchiveError['code'], message: string, entry: string | null = null) {
    super(message)
    this.code = code
    this.entry = entry
  }
}

/** One file of an archive, as its directory declares it. */
export interface ZipEntryInfo {
  name: string
  sizeBytes: number
  packedBytes: number
  crc32: number
  isPacked: boolean
  /** Of its local header in the archive. */
  offset: number
}

export interface ZipLimits {
  files: number
  bytes: number
}

const END = { signature: 0x06054b50, bytes: 22 }
const END_64 = { signature: 0x06064b50, bytes: 56, locatorSignature: 0x07064b50, locatorBytes: 20 }
const DIRECTORY = { signature: 0x02014b50, bytes: 46 }
const LOCAL = { signature: 0x04034b50, bytes: 30 }
const MOST_COMMENT_BYTES = 0xffff
const FOUR_GIB = 2 ** 32

/** Text packs to a hundredth at most; more is made to fill memory or a disk. Small files may do better. */
const MOST_RATIO = 200
const RATIO_FROM_BYTES = 16 * 1024 * 1024

/** States how many bytes of the archive's end `directoryRange` needs. */
export const ZIP_TAIL_BYTES = END.bytes + MOST_COMMENT_BYTES + END_64.bytes + END_64.locatorBytes

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)
const noArchive = (): ZipArchiveError =>
  new ZipArchiveError('no_archive', 'it is not a zip file, or its end is missing')
const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true))

/** Returns where the directory is: `tail` is the archive's end, of `archiveBytes` in all. `shift` is what lies before the archive in its file. */
export function directoryRange(
  tail: Uint8Array,
  archiveBytes: number,
): { start: number; length: number; shift: number } {
  const view = viewOf(tail)
  let at = tail.length - END.bytes
  while (at >= 0 && view.getUint32(at, true) !== END.signature) at -= 1
  if (at < 0) throw noArchive()
  let [length, declared, end] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true), at]
  const locator = at - END_64.locatorBytes
  if (locator >= END_64.bytes && view.getUint32(locator, true) === END_64.locatorSignature) {
    end = locator - END_64.bytes
    if (view.getUint32(end, true) !== END_64.signature) throw noArchive()
    ;[length, declared] = [long(view, end + 40), long(view, end + 48)]
  }
  const start = archiveBytes - tail.length + end - length
  if (start < 0) throw noArchive()
  // Writers without the long form let offsets begin again at 4 GiB.
  const shift = start - declared
  return { start, length, shift: shift % FOUR_GIB === 0 ? 0 : shift }
}

/** No program makes more, and each is an object in memory. */
const MOST_ENTRIES = 500_000

/**
 * The files of a directory that begins at `start` of the archive's file, in its order; entries of folders are left out. Throws for names that are there
 * twice, and for files that are not before the directory: what they claim to be could have any size.
 */
export function readDirectory(
  directory: Uint8Array,
  { start, shift }: { start: number; shift: number },
): ZipEntryInfo[] {
  const view = viewOf(directory)
  const entries: ZipEntryInfo[] = []
  const names = new Set<string>()
  let at = 0
  let before = 0
  while (at + DIRECTORY.bytes <= directory.length && view.getUint32(at, true) === DIRECTORY.signature) {
    if (names.size === MOST_ENTRIES)
      throw new ZipArchiveError('too_large', `the archive has more than ${MOST_ENTRIES} files`)
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const crc32 = view.getUint32(at + 16, true)
    const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)]
    const nameAt = at + DIRECTORY.bytes
    const next = nameAt + nameBytes + extraBytes + view.getUint16(at + 32, true)
    if (next > directory.length) throw new ZipArchiveError('damaged', 'its directory is damaged')
    const name = strFromU8(directory.subarray(nameAt, nameAt + nameBytes), (flags & 2048) === 0)
    const [sizeBytes, packedBytes, offset] = longFields(view, at, nameAt + nameBytes, extraBytes)
    at = next
    // An offset far below the one before it has begun again.
    before = offset + shift + (before - offset > FOUR_GIB / 2 ? FOUR_GIB * Math.ceil((before - offset) / FOUR_GIB) : 0)
    if (/[\\/]$/.test(name)) continue
    const path = name.replaceAll('\\', '/')
    if (names.has(path)) throw new ZipArchiveError('damaged', 'the name is there twice', name)
    names.add(path)
    if ((flags & 1) !== 0) throw new ZipArchiveError('encrypted', 'it is encrypted: remove its password', name)
    if (method !== 0 && method !== 8)
      throw new ZipArchiveError('damaged', `it is packed by a method (${method}) that is not supported`, name)
    if (before < 0 || before + LOCAL.bytes + packedBytes > start)
      throw new ZipArchiveError('damaged', 'it is not where its directory declares', name)
    entries.push({ name, sizeBytes, packedBytes, crc32, isPacked: method === 8, offset: before })
  }
  if (at !== directory.length) throw new ZipArchiveError('damaged', 'its directory is damaged')
  return entries
}

/** Size, packed size and offset; those that do not fit into 32 bits are in an extra field, in this order. */
function longFields(view: DataView, at: number, extraAt: number, extraBytes: number): [number, number, number] {
  const fields = [24, 20, 42].map((field) => view.getUint32(at + field, true)) as [number, number, number]
  let extra = extraAt
  while (extra + 4 <= extraAt + extraBytes) {
    const [id, length] = [view.getUint16(extra, true), view.getUint16(extra + 2, true)]
    let value = extra + 4
    if (id === 1)
      for (const [field, short] of fields.entries()) {
        if (short !== 0xffffffff || value + 8 > extra + 4 + length || value + 8 > view.byteLength) continue
        fields[field] = long(view, value)
        value += 8
      }
    extra += 4 + length
  }
  return fields
}

/** Throws `too_large` where these files are more than the limits allow or than honest packing gives, and `damaged` where they overlap. */
export function checkDeclared(entries: readonly ZipEntryInfo[], limits: ZipLimits): void {
  if (entries.length > limits.files)
    throw new ZipArchiveError(
      'too_large',
      `the archive has more than ${limits.files} files`,
      entries[limits.files]!.name,
    )
  let [bytes, packed, free] = [0, 0, 0]
  for (const { name, sizeBytes, packedBytes, offset } of entries.toSorted((a, b) => a.offset - b.offset)) {
    // Files that share their bytes unpack to far more than the archive.
    if (offset < free) throw new ZipArchiveError('damaged', 'it shares bytes with another entry', name)
    free = offset + LOCAL.bytes + packedBytes
    bytes += sizeBytes
    packed += packedBytes
    if (bytes > limits.bytes)
      throw new ZipArchiveError('too_large', `the archive holds more than ${limits.bytes} bytes`, name)
    const isBomb = (size: number, from: number): boolean =>
      size > RATIO_FROM_BYTES && size / Math.max(1, from) > MOST_RATIO
    if (isBomb(sizeBytes, packedBytes) || isBomb(bytes, packed))
      throw new ZipArchiveError('too_large', `it unpacks to more than ${MOST_RATIO} times its size`, name)
  }
}

/** Length of the local header, whose first bytes `ZIP_LOCAL_BYTES` the caller read: the file's content follows it. */
export function localHeaderBytes(header: Uint8Array, { name }: ZipEntryInfo): number {
  const view = viewOf(header)
  if (header.length < LOCAL.bytes || view.getUint32(0, true) !== LOCAL.signature)
    throw new ZipArchiveError('damaged', 'it is damaged (its header is missing)', name)
  return LOCAL.bytes + view.getUint16(26, true) + view.getUint16(28, true)
}
export const ZIP_LOCAL_BYTES = LOCAL.bytes

/** Packed bytes passed to one call of `push`: what they unpack to is in memory at once, up to a thousand times as much. */
export const ZIP_BLOCK_BYTES = 16 * 1024

/** Unpacks one file: blocks go in, pieces come out. `end` throws when size or CRC-32 differ from the directory's. */
export function createUnpacker(entry: ZipEntryInfo): { push(block: Uint8Array): Uint8Array[]; end(): void } {
  const damaged = (why: string): ZipArchiveError => new ZipArchiveError('damaged', `it is damaged (${why})`, entry.name)
  let pieces: Uint8Array[] = []
  let size = 0
  let crc = 0xffffffff
  const take = (piece: Uint8Array): void => {
    size += piece.length
    if (size > entry.sizeBytes) throw damaged('it is longer than the directory declares')
    crc = crcOf(crc, piece)
    pieces.push(piece)
  }
  const inflate = entry.isPacked ? new Inflate(take) : null
  return {
    push(block) {
      pieces = []
      if (inflate === null) take(block)
      else
        try {
          inflate.push(block)
        } catch (error) {
          throw error instanceof ZipArchiveError ? error : damaged((error as Error).message)
        }
      return pieces
    },
    end() {
      if (size !== entry.sizeBytes) throw damaged('it is shorter than the directory declares')
      if ((crc ^ 0xffffffff) >>> 0 !== entry.crc32) throw damaged('its checksum differs')
    },
  }
}

/** The files of an archive in memory. Throws as `readDirectory` does. */
export function directoryInMemory(archive: Uint8Array): ZipEntryInfo[] {
  const { start, length, shift } = directoryRange(archive.subarray(-ZIP_TAIL_BYTES), archive.length)
  return readDirectory(archive.subarray(start, start + length), { start, shift })
}

/** The content of a file of an archive in memory. */
export function unpackInMemory(archive: Uint8Array, entry: ZipEntryInfo): Uint8Array {
  const start = entry.offset + localHeaderBytes(archive.subarray(entry.offset, entry.offset + LOCAL.bytes), entry)
  const unpacker = createUnpacker(entry)
  const content = new Uint8Array(entry.sizeBytes)
  let filled = 0
  for (let from = 0; from < entry.packedBytes; from += ZIP_BLOCK_BYTES) {
    const block = archive.subarray(start + from, start + Math.min(entry.packedBytes, from + ZIP_BLOCK_BYTES))
    for (const piece of unpacker.push(block)) {
      content.set(piece, filled)
      filled += piece.length
    }
  }
  unpacker.end()
  return content
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crcOf(start: number, bytes: Uint8Array): number {
  let crc = start
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8)
  return crc
}
