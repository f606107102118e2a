import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { corpusDigestLine } from '../../../contract/evidence/provenance.ts'
import { bytesWords, countWords } from '../../../contract/words.ts'
import { hashFile } from '../../lib/files/hash-file.ts'

// The digest that the embedded platform would report for a folder, made here for those who must not call it. The platform remembers hashes by
// size and time, in its own database; here each file is read again, so how much is read has a limit.

/** Most that is read to compare a corpus: less than a second of work. */
export const COMPARED_CORPUS = { files: 5000, bytes: 128 * 1024 * 1024 }

/** `digest` is null where nothing can be said: `unchecked` is the reason when the corpus is over the limits, else the folder is not one that is ingested. */
interface CorpusDigest {
  digest: string | null
  unchecked: string | null
}

const UNKNOWN: CorpusDigest = { digest: null, unchecked: null }

/** Thrown for what ingestion refuses: its own message names the file. */
class NotIngestedError extends Error {
  override readonly name = 'NotIngestedError'
}

/** The content digest of a corpus folder. Makes no call and writes nothing. */
export async function corpusDigest(folder: string, limits = COMPARED_CORPUS): Promise<CorpusDigest> {
  try {
    const paths: string[] = []
    await walk(folder, '', paths, limits.files)
    if (paths.length > limits.files) return over(`more than ${countWords(limits.files)} files`)
    let sizeBytes = 0
    for (const path of paths) sizeBytes += (await stat(join(folder, path))).size
    if (sizeBytes > limits.bytes) return over(`${bytesWords(sizeBytes)}, more than ${bytesWords(limits.bytes)}`)
    if (paths.length === 0) return UNKNOWN
    const digest = createHash('sha256')
    for (const path of paths.sort()) digest.update(corpusDigestLine(path, (await hashFile(join(folder, path))).sha256))
    return { digest: digest.digest('hex'), unchecked: null }
  } catch (error) {
    // A folder or file that is missing or cannot be read: the check of the corpus or its ingestion reports that.
    if (error instanceof NotIngestedError || (error as NodeJS.ErrnoException).code !== undefined) return UNKNOWN
    throw error
  }
}

const over = (what: string): CorpusDigest => ({ digest: null, unchecked: `the corpus has ${what}` })

async function walk(folder: string, prefix: string, paths: string[], most: number): Promise<void> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    if (paths.length > most) return
    if (entry.name.startsWith('.')) continue
    const path = `${prefix}${entry.name}`
    if (entry.isDirectory()) await walk(folder, `${path}/`, paths, most)
    else if (entry.isFile()) paths.push(path)
    else throw new NotIngestedError(path)
  }
}
