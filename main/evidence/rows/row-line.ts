import { crc32 } from 'node:zlib'
import { SCHEMA_VERSION } from '../../../contract/common.ts'
import { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { withCurrentNames } from '../../../core/evidence/metric-names.ts'
import { describeIssues, fieldPath } from '../../../core/issues.ts'
import { holdsSecret, valueWithoutSecrets } from '../../../core/known-secrets.ts'
import { isSealingVersion, MISSING_SEAL } from '../../lib/files/sealed-json.ts'
import { messageOf } from '../errors.ts'
import { rowId, type RowKey, rowKeyOf } from './row-id.ts'

const SEAL = ',"checksum":"'
const SEAL_BYTES = SEAL.length + 8 + 2
const SECTIONS = ['dataset', 'question', 'approach', 'reproducibility', 'metrics'] as const

const checksumOf = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0')

/** Levels of a row; what is nested deeper could not be read again. */
const MOST_DEPTH = 200

/** Returns where a value cannot be written as JSON without changing: NaN, infinities, functions, dates and their like. Null when it can. */
export function unwritable(value: unknown, path: readonly PropertyKey[] = []): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : `${fieldPath(path)}: ${value} is not a number in JSON`
  if (typeof value !== 'object') return `${fieldPath(path)}: ${typeof value} has no form in JSON`
  if (path.length > MOST_DEPTH) return `${fieldPath(path.slice(0, 5))}: nested deeper than ${MOST_DEPTH} levels`
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = unwritable(item, [...path, index])
      if (problem !== null) return problem
    }
    return null
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `${fieldPath(path)}: not a plain object`
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    const problem = unwritable(member, [...path, key])
    if (problem !== null) return problem
  }
  return null
}

type Sealed = { ok: true; row: CanonicalRow; line: Buffer } | { ok: false; problem: string }

/**
 * Checks a row fully and makes its line: JSON, the checksum of the bytes before it as last field, newline. A field that is called
 * `__proto__` is left out at every depth, in the returned row too: no reader could take it over safely. Raw answers keep it as text. A credential
 * that a service repeats in its answer is replaced: evidence is shared, when its variable may not be set any more.
 */
export function sealRow(input: CanonicalRow): Sealed {
  const parsed = CanonicalRow.safeParse(input)
  if (!parsed.success) return { ok: false, problem: describeIssues(parsed.error).join('; ') }
  const { checksum: _, ...row } = parsed.data
  const problem = unwritable(row) ?? wrongId(row.row_id, rowKeyOf(row))
  if (problem !== null) return { ok: false, problem }
  const body = JSON.stringify(row)
  if (!holdsSecret(body)) return { ok: true, row, line: sealedLine(body.slice(0, -1)) }
  const clean = withoutCredentials(row)
  return { ok: true, row: clean, line: sealedLine(JSON.stringify(clean).slice(0, -1)) }
}

/** Replaces each known credential in what services gave. The other fields are ours, and the id of a row is made of some of them. */
const withoutCredentials = (row: CanonicalRow): CanonicalRow => ({
  ...row,
  evidence: valueWithoutSecrets(row.evidence),
  metrics: valueWithoutSecrets(row.metrics),
  error: valueWithoutSecrets(row.error),
})

/** One buffer per line, filled in place: rows are large, so a copy of each would be slow. */
function sealedLine(body: string): Buffer {
  const bodyBytes = Buffer.byteLength(body)
  const line = Buffer.allocUnsafeSlow(bodyBytes + SEAL_BYTES + 1)
  line.write(body)
  line.write(`${SEAL}${checksumOf(line.subarray(0, bodyBytes))}"}\n`, bodyBytes)
  return line
}

/** Reports a row whose id is not that of its cell; null when it is. */
export function wrongId(found: string, key: RowKey): string | null {
  const expected = rowId(key)
  return expected === found ? null : `row_id: ${found} is not the id of this cell, which is ${expected}`
}

export type SealState = 'intact' | 'broken' | 'absent'

const CARRIAGE_RETURN = 13

/**
 * Returns true when a line (without its newline) still has the bytes that its checksum was made of; `absent` when it does not end with one. A carriage
 * return at its end, which a checkout with other line ends adds, is not part of the row and hides no checksum.
 */
export function sealOf(bytes: Buffer): SealState {
  const line = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes
  const body = line.length - SEAL_BYTES
  if (body <= 0 || line.toString('latin1', body, body + SEAL.length) !== SEAL) return 'absent'
  return line.toString('latin1', body + SEAL.length) === `${checksumOf(line.subarray(0, body))}"}` ? 'intact' : 'broken'
}

/** The problem of a line whose checksum is not at its end: it was changed after it was written. */
const MISPLACED_CHECKSUM = 'its checksum is not at the end of the line: the bytes were changed after they were written'

/** The problem of a line that does not end with its checksum; null for a row of a version that did not write one. */
export function unsealedProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  if ('checksum' in value) return MISPLACED_CHECKSUM
  const { reproducibility } = value as { reproducibility?: { runtime?: { platform?: { version?: string | null } } } }
  return isSealingVersion(reproducibility?.runtime?.platform?.version) ? MISSING_SEAL : null
}

/** The problem of a file in which some lines end with their checksum and others have none. */
export const MIXED_SEALS = 'a checksum is missing in some lines of the file: they were changed after they were written'

export type Decoded = { ok: true; row: CanonicalRow } | { ok: false; problem: string }

/** Describes how much a line is checked. `quick` trusts the field types of a line whose checksum holds: it was checked when it was written. */
export type Depth = 'quick' | 'full'

/** A stored line (without its newline) → row without its checksum, or what is wrong with it. */
export function decodeLine(line: Buffer, depth: Depth): Decoded {
  const seal = sealOf(line)
  if (seal === 'broken')
    return { ok: false, problem: 'the bytes do not match their checksum: they were changed after they were written' }
  let value: unknown
  try {
    value = withCurrentNames(JSON.parse(line.toString('utf8')))
  } catch (error) {
    return { ok: false, problem: `not JSON: ${messageOf(error)}` }
  }
  const unsealed = seal === 'absent' ? unsealedProblem(value) : null
  if (unsealed !== null) return { ok: false, problem: unsealed }
  if (depth === 'quick' && seal === 'intact' && looksLikeRow(value)) return identified(value)
  const parsed = CanonicalRow.safeParse(value)
  return parsed.success
    ? identified(parsed.data)
    : { ok: false, problem: describeIssues(parsed.error).slice(0, 5).join('; ') }
}

function identified({ checksum: _, ...row }: CanonicalRow): Decoded {
  const problem = wrongId(row.row_id, rowKeyOf(row))
  return problem === null ? { ok: true, row } : { ok: false, problem }
}

function looksLikeRow(value: unknown): value is CanonicalRow {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  return (
    fields['schema_version'] === SCHEMA_VERSION &&
    typeof fields['run_id'] === 'string' &&
    typeof fields['row_id'] === 'string' &&
    SECTIONS.every((name) => typeof fields[name] === 'object' && fields[name] !== null)
  )
}
