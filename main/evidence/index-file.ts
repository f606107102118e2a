import { hash } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { systemCode } from './errors.ts'
import { RECORD_BYTES, RowIndex } from './row-index.ts'

const MAGIC = 0x49454c52
const VERSION = 1
const HEADER_BYTES = 48
const RUN_BYTES = 16

/** What the log's first `coveredBytes` hold. */
export interface IndexedPrefix {
  index: RowIndex
  coveredBytes: number
  /** CRC-32 of those bytes: the index counts only while the file still has it. */
  prefixCrc: number
}

interface Header {
  count: number
  coveredBytes: number
  prefixCrc: number
  recordsCrc: number
  run: Buffer
}

/** `…-evidence.jsonl` → `…-evidence.jsonl.index`. */
export const indexPathFor = (file: string): string => `${file}.index`

const runMark = (runId: string): Buffer => hash('sha256', runId, 'buffer').subarray(0, RUN_BYTES)

function encodeHeader(header: Header): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt32LE(MAGIC, 0)
  bytes.writeUInt32LE(VERSION, 4)
  bytes.writeUInt32LE(header.count, 8)
  bytes.writeUInt32LE(header.prefixCrc, 12)
  bytes.writeDoubleLE(header.coveredBytes, 16)
  bytes.writeUInt32LE(header.recordsCrc, 24)
  header.run.copy(bytes, 28)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44)
  return bytes
}

function decodeHeader(bytes: Buffer): Header | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(44) !== crc32(bytes.subarray(0, 44))) return null
  if (bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== VERSION) return null
  return {
    count: bytes.readUInt32LE(8),
    prefixCrc: bytes.readUInt32LE(12),
    coveredBytes: bytes.readDoubleLE(16),
    recordsCrc: bytes.readUInt32LE(24),
    run: bytes.subarray(28, 44),
  }
}

/**
 * Loads the index of a run's log. Null when there is none, or when it is incomplete, of another version or of another run. Its own
 * checksums are verified; that the log still has the covered bytes is for the caller to check against `prefixCrc`.
 */
export async function loadIndex(path: string, runId: string | null): Promise<IndexedPrefix | null> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  const header = decodeHeader(bytes)
  if (header === null || (runId !== null && !header.run.equals(runMark(runId)))) return null
  const records = bytes.subarray(HEADER_BYTES, HEADER_BYTES + header.count * RECORD_BYTES)
  if (records.length !== header.count * RECORD_BYTES || crc32(records) !== header.recordsCrc) return null
  const index = RowIndex.fromRecords(records)
  return index && { index, coveredBytes: header.coveredBytes, prefixCrc: header.prefixCrc }
}

/**
 * Brings the index file up to `prefix`: appends the new records when the file holds the earlier ones, else (or with `rebuild`, when
 * the file could not be used) writes all of it. Call it
 * under the log's lock. It is not synced: its checksum reveals an incomplete one, and it can be rebuilt from the log.
 */
export async function saveIndex(path: string, runId: string, prefix: IndexedPrefix, rebuild: boolean): Promise<void> {
  const handle = await open(path, 'r+').catch(async (error: unknown) => {
    if (systemCode(error) === 'ENOENT') return open(path, 'w+')
    throw error
  })
  try {
    const stored = rebuild ? null : await storedHeader(handle)
    const all = prefix.index.recordsFrom(0)
    const kept = stored === null || stored.count > prefix.index.count ? 0 : stored.count * RECORD_BYTES
    const known = crc32(all.subarray(0, kept))
    const from = stored !== null && stored.run.equals(runMark(runId)) && known === stored.recordsCrc ? kept : 0
    const added = all.subarray(from)
    await handle.write(added, 0, added.length, HEADER_BYTES + from)
    const header = encodeHeader({
      count: prefix.index.count,
      coveredBytes: prefix.coveredBytes,
      prefixCrc: prefix.prefixCrc,
      recordsCrc: from === 0 ? crc32(all) : crc32(added, known),
      run: runMark(runId),
    })
    await handle.write(header, 0, HEADER_BYTES, 0)
  } finally {
    await handle.close()
  }
}

async function storedHeader(handle: FileHandle): Promise<Header | null> {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const { bytesRead } = await handle.read(bytes, 0, HEADER_BYTES, 0)
  return bytesRead === HEADER_BYTES ? decodeHeader(bytes) : null
}
