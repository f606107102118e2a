// Fingerprints of the keys that were in use on this computer, so that `publish` recognizes a key in stored answers when no variable holds it any
// more. Kept in the person's own folder and never in a project: HMAC-SHA-256, whole, under 32 random bytes of this person. Who reads the file can test
// a guess, so only keys that a machine made are listed, which no one can guess; of a password that a person made up nothing is kept.
import { createHmac, randomBytes } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { jsonIn } from '../../../core/json.ts'
import { readPrivateFile, SecretsError, writePrivateFile } from '../files/private-file.ts'
import { userFolder } from './trusted-addresses.ts'

type Environment = Readonly<Record<string, string | undefined>>

const Digest = z.string().regex(/^[0-9a-f]{64}$/)
const FingerprintList = z.strictObject({
  version: z.literal(1),
  salt: Digest,
  /** The oldest first. `length` is that of the key's longest part: a text of another length is not compared. */
  keys: z.array(z.strictObject({ length: z.int().min(1), digest: Digest })),
})
type FingerprintList = z.infer<typeof FingerprintList>

const MOST_KEYS = 500
/** A part of a key or of a text: sentences, URLs and JSON separate such parts by other characters. */
const PART = /[A-Za-z0-9_-]+/g
/** Escapes of JSON and of URLs end in letters and digits, which belong to no key beside them. */
const ESCAPE = /\\+(?:[bfnrt"\\/]|u[0-9a-fA-F]{4})|%[0-9a-fA-F]{2}/g

export const fingerprintsFile = (env: Environment = process.env): string => join(userFolder(env), 'known-keys.json')

const kindOf = (char: string): number => (/[0-9]/.test(char) ? 0 : /[a-z]/.test(char) ? 1 : /[A-Z]/.test(char) ? 2 : 3)

/**
 * Returns true for a text that looks drawn at random: 20 characters or more, at least 12 different ones, with 8 or more changes between digits, small and
 * capital letters. Words with some digits have fewer changes, repeated ones fewer characters.
 */
export function isMachineMade(text: string): boolean {
  const kinds = Array.from(text, kindOf).filter((kind) => kind !== 3)
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  return text.length >= 20 && new Set(text).size >= 12 && changes >= 8
}

/** Its longest part; null where that is nothing that only this key has. */
function markOf(key: string): string | null {
  const [longest = ''] = (key.match(PART) ?? []).toSorted((a, b) => b.length - a.length)
  return isMachineMade(longest) ? longest : null
}

const digestOf = (salt: string, mark: string): string =>
  createHmac('sha256', Buffer.from(salt, 'hex')).update(mark).digest('hex')

/** Lists the keys among these that a machine made. Throws `SecretsError` for a damaged list, and the system's error where it cannot be written. */
export async function keepFingerprints(keys: readonly string[], env: Environment = process.env): Promise<void> {
  const marks = [...new Set(keys.flatMap((key) => markOf(key) ?? []))]
  if (marks.length === 0) return
  const file = fingerprintsFile(env)
  const { salt, keys: before } = (await readList(file)) ?? { salt: randomBytes(32).toString('hex'), keys: [] }
  const known = new Set(before.map(({ digest }) => digest))
  const added = marks
    .map((mark) => ({ length: mark.length, digest: digestOf(salt, mark) }))
    .filter(({ digest }) => !known.has(digest))
  if (added.length === 0) return
  const list: FingerprintList = { version: 1, salt, keys: [...before, ...added].slice(-MOST_KEYS) }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Of two processes that add at once one may be lost: the next run of its key adds it again.
  await writePrivateFile(file, `${JSON.stringify(list)}\n`, (temporary) => rename(temporary, file))
}

/** Returns a function that finds a listed key in a text, such as a line of JSON. Throws `SecretsError` for a damaged list. */
export async function keyFinder(env: Environment = process.env): Promise<(text: string) => boolean> {
  const list = await readList(fingerprintsFile(env))
  if (list === null || list.keys.length === 0) return () => false
  const lengths = new Set(list.keys.map(({ length }) => length))
  const digests = new Set(list.keys.map(({ digest }) => digest))
  const compared = new Map<string, boolean>()
  const isKey = (part: string): boolean => {
    if (!lengths.has(part.length)) return false
    const found = compared.get(part) ?? digests.has(digestOf(list.salt, part))
    // Checksums repeat in every row; a log without repetitions must not fill memory.
    if (compared.size < 100_000) compared.set(part, found)
    return found
  }
  return (text) => (text.replace(ESCAPE, ' ').match(PART) ?? []).some(isKey)
}

/** No word of the file's content gets into a message. */
async function readList(file: string): Promise<FingerprintList | null> {
  const text = await readPrivateFile(file, 'to begin a new list')
  if (text === null) return null
  const parsed = FingerprintList.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new SecretsError('secrets_invalid', file, 'is not a list of this version. Delete it to begin a new one')
}
