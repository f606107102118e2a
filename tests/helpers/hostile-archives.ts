import { strToU8, zipSync, type Zippable } from 'fflate'
import { randomFrom } from './random.ts'

// Zip archives that someone built to break a reader: valid ones, changed in one to three of the ways below, all of them repeatable by their number.

/** No archive of these is larger unpacked: none may claim more than its bytes can give. */
export const MOST_UNPACKED_BYTES = 1_000_000
/** For one archive. */
export const MOST_MS = 2_000
/** `RAG_LADDER_FUZZ=100` makes a hundred times as many. */
export const FUZZ_TIMES = Number(process.env['RAG_LADDER_FUZZ'] ?? 1)

type Random = () => number
type Change = (archive: Buffer, random: Random) => Buffer

const DIRECTORY = Buffer.from([0x50, 0x4b, 1, 2])
const LOCAL = Buffer.from([0x50, 0x4b, 3, 4])
const RECORD_BYTES = 46
const END = Buffer.from([0x50, 0x4b, 5, 6])

const below = (random: Random, end: number): number => Math.floor(random() * end)
const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)]!

/** Every offset of a signature whose record is there as a whole. */
function offsetsOf(archive: Buffer, signature: Buffer): number[] {
  const found: number[] = []
  for (
    let at = archive.indexOf(signature);
    at >= 0 && at + RECORD_BYTES <= archive.length;
    at = archive.indexOf(signature, at + 1)
  )
    found.push(at)
  return found
}

/** Numbers that are wrong in most fields. */
const lie = (random: Random, archive: Buffer): number =>
  oneOf(random, [0, 1, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, archive.length, below(random, archive.length)])

/** Writes a lie into a field of one of the records with a signature. Fields are [offset, bytes]. */
const lieIn =
  (signature: Buffer, fields: readonly (readonly [at: number, bytes: 2 | 4])[]): Change =>
  (archive, random) => {
    const changed = Buffer.from(archive)
    const records = signature === END ? [archive.lastIndexOf(END)] : offsetsOf(archive, signature)
    if (records.length === 0 || records[0] === -1) return changed
    const [at, bytes] = oneOf(random, fields)
    const where = oneOf(random, records) + at
    if (where + bytes > changed.length) return changed
    const value = lie(random, archive)
    if (bytes === 4) changed.writeUInt32LE(value, where)
    else changed.writeUInt16LE(value & 0xffff, where)
    return changed
  }

/** Names of other lengths would move what follows: each is filled up or cut to the length of the one it replaces. */
const NAMES = [
  '../../../../x',
  '/etc/passwd',
  'C:\\x.txt',
  'a\0b',
  'a.txt/b',
  'a.txt',
  'CON',
  '__proto__',
  'x/',
  '..\\..\\x',
  './a',
  'a//b',
  '~',
  'constructor',
]

/** The offset of some file's record in the directory; null where it has none. */
function oneEntry(archive: Buffer, random: Random): number | null {
  const records = offsetsOf(archive, DIRECTORY)
  return records.length === 0 ? null : oneOf(random, records)
}

function rename(archive: Buffer, random: Random): Buffer {
  const changed = Buffer.from(archive)
  const record = oneEntry(archive, random)
  if (record === null) return changed
  const name = Buffer.from(oneOf(random, NAMES))
  const length = archive.readUInt16LE(record + 28)
  Buffer.alloc(length, 0x78).copy(changed, record + 46)
  name.copy(changed, record + 46, 0, length)
  if (name.length < length) changed[record + 46 + name.length] = 0x2e
  return changed
}

/** A long form of the end that says what it likes, before the short one. */
function addLongEnd(archive: Buffer, random: Random): Buffer {
  const end = archive.lastIndexOf(END)
  if (end < 0) return archive
  const long = Buffer.alloc(76)
  long.writeUInt32LE(0x06064b50, 0)
  const value = (): bigint =>
    oneOf(random, [
      0n,
      1n,
      2n ** 32n,
      2n ** 53n,
      2n ** 63n,
      2n ** 64n - 1n,
      BigInt(end),
      BigInt(below(random, end + 1)),
    ])
  for (const at of [24, 32, 40, 48]) long.writeBigUInt64LE(value(), at)
  long.writeUInt32LE(0x07064b50, 56)
  long.writeBigUInt64LE(value(), 64)
  return Buffer.concat([archive.subarray(0, end), long, archive.subarray(end)])
}

/** An extra field of the long form, with sizes and offset that do not fit into 32 bits. */
function addLongFields(archive: Buffer, random: Random): Buffer {
  const record = oneEntry(archive, random)
  const end = archive.lastIndexOf(END)
  if (record === null || end < 0) return archive
  const extra = Buffer.alloc(28)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(oneOf(random, [24, 8, 0, 0xffff]), 2)
  for (const at of [4, 12, 20])
    extra.writeBigUInt64LE(oneOf(random, [0n, 3n, 2n ** 33n, 2n ** 50n, 2n ** 63n, 2n ** 64n - 1n]), at)
  const at = record + 46 + archive.readUInt16LE(record + 28)
  const changed = Buffer.concat([archive.subarray(0, at), extra, archive.subarray(at)])
  changed.writeUInt16LE((archive.readUInt16LE(record + 30) + extra.length) & 0xffff, record + 30)
  for (const field of [20, 24, 42]) if (random() < 0.6) changed.writeUInt32LE(0xffffffff, record + field)
  const sizeAt = end + extra.length + 12
  if (sizeAt + 4 <= changed.length) changed.writeUInt32LE((changed.readUInt32LE(sizeAt) + extra.length) >>> 0, sizeAt)
  return changed
}

/** The directory has a file once more: the same bytes under the same name. */
function repeatEntry(archive: Buffer, random: Random): Buffer {
  const record = oneEntry(archive, random)
  const end = archive.lastIndexOf(END)
  if (record === null || end < record) return archive
  const length =
    46 + archive.readUInt16LE(record + 28) + archive.readUInt16LE(record + 30) + archive.readUInt16LE(record + 32)
  const again = archive.subarray(record, record + length)
  const times = 1 + below(random, 3)
  const changed = Buffer.concat([archive.subarray(0, end), ...Array<Buffer>(times).fill(again), archive.subarray(end)])
  const newEnd = end + times * again.length
  if (newEnd + 16 <= changed.length)
    changed.writeUInt32LE((changed.readUInt32LE(newEnd + 12) + times * again.length) >>> 0, newEnd + 12)
  return changed
}

const CHANGES: readonly Change[] = [
  // Cut off, at either end.
  (archive, random) => archive.subarray(0, below(random, archive.length)),
  (archive, random) => archive.subarray(below(random, archive.length)),
  // Damage without a plan.
  (archive, random) => {
    const changed = Buffer.from(archive)
    for (let left = 1 + below(random, 8); left > 0; left -= 1)
      changed[below(random, changed.length)] = below(random, 256)
    return changed
  },
  (archive, random) => {
    const [from, to] = [below(random, archive.length), below(random, archive.length)]
    return Buffer.concat([archive.subarray(0, from), archive.subarray(to)])
  },
  // Lies about sizes, checksums, offsets, methods, lengths and modes (symbolic links), and about the directory.
  lieIn(DIRECTORY, [
    [20, 4],
    [24, 4],
  ]),
  lieIn(DIRECTORY, [[42, 4]]),
  lieIn(DIRECTORY, [
    [8, 2],
    [10, 2],
    [16, 4],
  ]),
  lieIn(DIRECTORY, [
    [28, 2],
    [30, 2],
    [32, 2],
  ]),
  (archive, random) => {
    const changed = Buffer.from(archive)
    for (const record of offsetsOf(archive, DIRECTORY)) {
      if (random() < 0.5 || record + 42 > changed.length) continue
      changed.writeUInt16LE(0x0314, record + 4)
      changed.writeUInt32LE(0xa1ff0000, record + 38)
    }
    return changed
  },
  lieIn(LOCAL, [
    [0, 4],
    [6, 2],
    [8, 2],
    [26, 2],
    [28, 2],
  ]),
  lieIn(END, [
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ]),
  rename,
  addLongEnd,
  addLongFields,
  repeatEntry,
]

const TEXTS: Zippable = {
  'a.txt': strToU8('founded in 1904'),
  'deep/b.txt': strToU8('The lock was opened. '.repeat(60)),
  'stored.txt': [strToU8('as it is '.repeat(20)), { level: 0 }],
}
/** Each packs a thousandfold: small enough to be made, large enough to be seen. */
const ZEROS: Zippable = { 'zeros.bin': new Uint8Array(60_000), 'word/document.xml': strToU8('<a/>') }
let valid: readonly Buffer[] | null = null

/** The archive of a number. */
export function hostileArchive(number: number): Buffer {
  valid ??= [TEXTS, ZEROS, { 'one.txt': strToU8('x') }].map((files) => Buffer.from(zipSync(files)))
  const random = randomFrom(number)
  let archive = oneOf(random, valid)
  for (let left = 1 + below(random, 3); left > 0 && archive.length > 0; left -= 1)
    archive = oneOf(random, CHANGES)(archive, random)
  return archive
}
