import { crc32 } from 'node:zlib'
import { isRecord } from '../../../core/json.ts'

// A JSON file that is written as a whole carries its seal as the last field of its object: the CRC-32 of the text before that field, as a line of
// evidence does. It detects accidents, not manipulation.

/** absent: the file was written before seals were, or by another program. broken: it was changed after it was written. */
export type Seal = 'intact' | 'absent' | 'broken'

const SEAL = /,\n {2}"checksum": "([0-9a-f]{8})"\n\}\n?$/

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0')

/** The text of a JSON object with the seal added. */
export function sealedJson(text: string): string {
  const body = text.slice(0, text.lastIndexOf('}')).trimEnd()
  return `${body},\n  "checksum": "${checksumOf(body)}"\n}\n`
}

/** Reads a JSON text; undefined where it is none. A checkout with other line ends breaks no seal. The seal is not part of the value. */
export function readSealedJson(text: string): { seal: Seal; value: unknown } | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(parsed) || !('checksum' in parsed)) return { seal: 'absent', value: parsed }
  const { checksum: _, ...value } = parsed
  const plain = text.replaceAll('\r\n', '\n')
  const found = SEAL.exec(plain)
  return { seal: found?.[1] === checksumOf(plain.slice(0, found?.index)) ? 'intact' : 'broken', value }
}

/** True for a version of the program that seals each summary and row. */
export function isSealingVersion(version: string | null | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? []
  return Number(major) > 0 || Number(minor) >= 2
}

/** Describes a file or row without the seal that its writer made. */
export const MISSING_SEAL = 'its checksum is missing: it was changed after it was written'

/** Describes a file whose seal is broken. */
export const BROKEN_SEAL = 'its text does not match its checksum: it was changed after it was written'
